// The real agent, `evenkeel run` of this very program, set on the demo's cgroups; what it wrote and why, from
// its audit log. May not: stand in for the agent.
#pragma once

#include <string>
#include <vector>

#include "agent/demo/child.h"
#include "agent/demo/console.h"
#include "agent/demo/stage.h"

namespace evenkeel::demo {

struct AuditLine {
  std::string kind{}, path{}, old_text{}, new_text{}, by{}, why{};
};
/// The lines of an audit log that can be read; others (a torn last one) are left out.
std::vector<AuditLine> read_audit(const std::string& text);

class ManagedNode {
 public:
  /// Starts the agent with a state directory of its own.
  ManagedNode(const Host& host, const Stage& stage);
  ManagedNode(const ManagedNode&) = delete;
  ManagedNode& operator=(const ManagedNode&) = delete;
  ~ManagedNode();

  /// Waits until the agent has set something, at most three seconds. False: it has not, or has died.
  bool wait_for_first_write(Console& console);
  /// SIGTERM, and waits: the agent restores what it wrote. Its exit status.
  int stop();
  [[nodiscard]] std::vector<AuditLine> audit() const;
  /// What the agent said, for when something went wrong.
  [[nodiscard]] std::string log() const;

 private:
  std::string directory_{};
  Child agent_{};
};

}  // namespace evenkeel::demo
