// Runs the real agent, `evenkeel run` of this very program, on the demo's cgroups, and reads from its audit
// log what it wrote and why. Does not imitate the agent.
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
/// The readable lines of an audit log; others (a torn last one) are skipped.
std::vector<AuditLine> read_audit(const std::string& text);

class ManagedNode {
 public:
  /// Starts the agent with a state directory of its own.
  ManagedNode(const Host& host, const Stage& stage);
  ManagedNode(const ManagedNode&) = delete;
  ManagedNode& operator=(const ManagedNode&) = delete;
  ~ManagedNode();

  /// Waits up to three seconds for the agent's first write. False: none came, or the agent has exited.
  bool wait_for_first_write(Console& console);
  /// Sends SIGTERM and waits while the agent restores what it wrote. Returns its exit status.
  int stop();
  [[nodiscard]] std::vector<AuditLine> audit() const;
  /// The agent's log, for failures.
  [[nodiscard]] std::string log() const;

 private:
  std::string directory_{};
  Child agent_{};
};

}  // namespace evenkeel::demo
