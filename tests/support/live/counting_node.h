// Counts what containers of our own do on the real machine, by either way of counting.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/tree/tree.h"
#include "collectors/counters/cpu_counting.h"
#include "tests/support/live/live_cgroups.h"

namespace evenkeel::test {

/// A substitute for hardware counters: time stamp counter ticks for cycles, nanoseconds of CPU time for
/// instructions. Their ratio is the counter's frequency in GHz. Empty: this machine has none.
counters::CounterEvents stand_in();

class CountingNode {
 public:
  /// Creates one pod with one container for each name. Windows last 300 ms and follow one another.
  explicit CountingNode(const std::vector<std::string>& pods);

  /// Why counting is impossible; empty: no reason known.
  [[nodiscard]] const std::string& why_not() const { return cgroups_.why_not(); }
  [[nodiscard]] LiveCgroups& cgroups() { return cgroups_; }
  [[nodiscard]] NodeSnapshot& node() { return node_; }
  [[nodiscard]] const tree::CgroupTree& tree() const { return *tree_; }
  /// For tests that call a collector themselves.
  [[nodiscard]] collectors::Tick lent() { return {cgroups_.host(), buffer_, node_}; }
  InterferenceSettings settings{};

  /// Starts counting. Returns an empty text, or the reason why it does not work, which fails a test in a
  /// guest.
  std::string begin(CounterBackend way, const counters::CounterEvents& events);
  void stop() { counting_.reset(); }
  /// Scans the tree again: cgroups may have come and gone.
  void look();
  /// Reads the CPU topology again.
  void look_at_cpus();
  /// Sets the known use of a pod in every later tick; the use of other pods is unknown.
  void uses(const std::string& pod, MilliCpu use) { use_[id(pod)] = use; }
  /// Runs one tick. Returns false when counting cannot continue.
  bool tick();
  /// Ticks every 100 ms until the pod's container has a result.
  std::optional<CpuCounts> counts_of(const std::string& pod, int ticks = 20);

  [[nodiscard]] static std::string container(const std::string& pod);  ///< below the top
  [[nodiscard]] CgroupId id(const std::string& pod) const;             ///< the container's

 private:
  LiveCgroups cgroups_{};
  std::optional<tree::CgroupTree> tree_{};
  NodeSnapshot node_{};
  std::unique_ptr<counters::CpuCounting> counting_{};
  std::map<CgroupId, MilliCpu> use_{};
  std::array<char, 4096> buffer_{};
};

}  // namespace evenkeel::test
