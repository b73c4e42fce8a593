// A full "node" for live tests on cgroup v2: a cgroup with a memory limit, one service in it and one
// best-effort pod that fills it with the files it reads. There is no background reclaim, so every allocation
// reclaims directly, whatever the machine's size.
#pragma once

#include <string>
#include <vector>

#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/memory_hogs.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {

class CrowdedNode {
 public:
  CrowdedNode();
  /// Why it is not available; empty: it is.
  [[nodiscard]] const std::string& why_not() const { return unavailable_reason_; }
  [[nodiscard]] const LiveCgroups& cgroups() const { return cgroups_; }
  /// The agent's directory, with its pod list.
  [[nodiscard]] const StateDir& dir() const { return dir_; }
  /// Writes nodeslo.yaml with these extensions.
  void configure(const std::string& extensions) const;

  /// Best effort reads files until the page cache fills the node.
  [[nodiscard]] MemoryHog fill() const;
  [[nodiscard]] bool is_full() const { return limit_met() > 100; }
  /// The service touches 128 MiB four times a second.
  [[nodiscard]] MemoryHog service_works() const;
  /// How long the service's tasks have waited for memory.
  [[nodiscard]] long stall_us() const;
  /// A file of best effort's cgroup.
  [[nodiscard]] std::string best_effort(const char* file) const;

 private:
  [[nodiscard]] long limit_met() const;
  [[nodiscard]] std::string file(const char* cgroup, const char* name) const;
  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::string unavailable_reason_{};
  std::vector<std::string> files_{};
};

}  // namespace evenkeel::test
