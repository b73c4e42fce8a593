// The real machine as the run-queue collector sees it: containers of our own, watched, and what it says of
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cgroup/tree/tree.h"
#include "collectors/sampler.h"
#include "tests/support/live/live_cgroups.h"

namespace evenkeel::test {

class RunQueueNode {
 public:
  /// With one pod of this name for each, with one container in it.
  explicit RunQueueNode(const std::vector<std::string>& pods);

  /// Why nothing can be measured; empty once the program is loaded. In a guest a program that is not loaded
  /// fails the test.
  [[nodiscard]] std::string why_not();
  [[nodiscard]] LiveCgroups& cgroups() { return cgroups_; }
  [[nodiscard]] const LiveCgroups& cgroups() const { return cgroups_; }
  [[nodiscard]] NodeSnapshot& node() { return node_; }
  void enable(bool on);
  /// Looks at the tree again: cgroups may have come and gone.
  void look();
  void tick();
  /// From now on is added up …
  void begin();
  /// … what the ticks of so long say.
  void watch(std::chrono::milliseconds time);
  /// And what one more tick says.
  void add();

  [[nodiscard]] static std::string container(const std::string& pod);  ///< below the top
  [[nodiscard]] CgroupId id(const std::string& pod) const;             ///< of its container
  [[nodiscard]] Duration waited(const std::string& pod) const;
  [[nodiscard]] Duration blamed(const std::string& victim, const std::string& runner) const;
  /// How long the runner had the other thread of the core while the victim ran.
  [[nodiscard]] Duration beside(const std::string& victim, const std::string& runner) const;
  [[nodiscard]] Duration blamed_in_all(const std::string& victim) const;
  [[nodiscard]] TaskStalls stalls(const std::string& pod) const;
  /// Waits of more than so long, since it is watched.
  [[nodiscard]] std::uint64_t waits_above(const std::string& pod, std::chrono::microseconds time) const;

 private:
  LiveCgroups cgroups_{};
  std::optional<tree::CgroupTree> tree_{};
  std::optional<collectors::Sampler> sampler_{};
  NodeSnapshot node_{};
  std::vector<RunQueueWait> waits_{};
  std::vector<WaitBlame> blame_{};
  std::vector<TaskStalls> stalls_{};
};

}  // namespace evenkeel::test
