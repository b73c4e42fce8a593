// The real machine as somebody sees it who counts what its containers do: containers of our own, and what was
// counted of them, by either way of counting.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/tree/tree.h"
#include "collectors/counters/cpu_counting.h"
#include "tests/support/live/live_cgroups.h"

namespace evenkeel::test {

/// The stand-in for hardware counters: ticks of the time stamp counter for cycles, nanoseconds of CPU time
/// for instructions. Their ratio is the counter's frequency in GHz. Empty: this machine has none.
counters::CounterEvents stand_in();

class CountingNode {
 public:
  /// With one pod of this name for each, with one container in it. Windows last 300 ms and follow one
  /// another.
  explicit CountingNode(const std::vector<std::string>& pods);

  /// Why nothing can be counted; empty: nothing is known against it.
  [[nodiscard]] const std::string& why_not() const { return cgroups_.why_not(); }
  [[nodiscard]] LiveCgroups& cgroups() { return cgroups_; }
  [[nodiscard]] NodeSnapshot& node() { return node_; }
  [[nodiscard]] const tree::CgroupTree& tree() const { return *tree_; }
  /// For who counts by himself.
  [[nodiscard]] collectors::Tick lent() { return {cgroups_.host(), buffer_, node_}; }
  InterferenceSettings settings{};

  /// Begins to count. Empty: it works; else why it does not, which fails a test in a guest.
  std::string begin(CounterBackend way, const counters::CounterEvents& events);
  void stop() { counting_.reset(); }
  /// Looks at the tree again: cgroups may have come and gone.
  void look();
  /// The same of CPUs.
  void look_at_cpus();
  /// From now on it is known to use so much in every tick; of whom nothing is said nothing is known.
  void uses(const std::string& pod, MilliCpu use) { use_[id(pod)] = use; }
  /// A tick now. Returns false when it cannot be gone on.
  bool tick();
  /// Ticks every 100 ms until there is a result of the pod's container.
  std::optional<CpuCounts> counts_of(const std::string& pod, int ticks = 20);

  [[nodiscard]] static std::string container(const std::string& pod);  ///< below the top
  [[nodiscard]] CgroupId id(const std::string& pod) const;             ///< of its container

 private:
  LiveCgroups cgroups_{};
  std::optional<tree::CgroupTree> tree_{};
  NodeSnapshot node_{};
  std::unique_ptr<counters::CpuCounting> counting_{};
  std::map<CgroupId, MilliCpu> use_{};
  std::array<char, 4096> buffer_{};
};

}  // namespace evenkeel::test
