// Runs the run-queue collector on the real machine with containers of our own, and sums up what it reports.
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
  /// Creates one pod with one container for each name.
  explicit RunQueueNode(const std::vector<std::string>& pods);

  /// Why nothing can be measured; empty once the program is loaded. In a guest, a program that does not load
  /// fails the test.
  [[nodiscard]] std::string why_not();
  [[nodiscard]] LiveCgroups& cgroups() { return cgroups_; }
  [[nodiscard]] const LiveCgroups& cgroups() const { return cgroups_; }
  [[nodiscard]] NodeSnapshot& node() { return node_; }
  void enable(bool on);
  /// Scans the tree again: cgroups may have come and gone.
  void look();
  void tick();
  /// Resets the sums.
  void begin();
  /// Adds up the ticks of that time.
  void watch(std::chrono::milliseconds time);
  /// Adds one more tick.
  void add();

  [[nodiscard]] static std::string container(const std::string& pod);  ///< below the top
  [[nodiscard]] CgroupId id(const std::string& pod) const;             ///< the container's
  [[nodiscard]] CgroupId id_of_path(const std::string& path) const;    ///< of a cgroup below the top
  [[nodiscard]] Duration waited(const std::string& pod) const { return waited(id(pod)); }
  [[nodiscard]] Duration waited(CgroupId cgroup) const;
  [[nodiscard]] Duration blamed(const std::string& victim, const std::string& runner) const {
    return blamed(id(victim), id(runner));
  }
  [[nodiscard]] Duration blamed(CgroupId victim, CgroupId runner) const;
  /// How long the runner had the other thread of the core while the victim ran.
  [[nodiscard]] Duration beside(const std::string& victim, const std::string& runner) const;
  [[nodiscard]] Duration blamed_in_all(const std::string& victim) const;
  /// The stalls since the start of watching, and the numbers of tasks in its last tick.
  [[nodiscard]] TaskStalls stalls(const std::string& pod) const;
  /// Waits longer than `above` since the start of watching.
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
