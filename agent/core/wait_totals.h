// What pods and host applications waited for, and because of whom: sums since they are watched, for metrics.
// May not: measure, or judge.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "cgroup/tree.h"
#include "qos/snapshot.h"

namespace evenkeel {

class WaitTotals {
 public:
  struct Sums {
    Duration waited{}, reclaim{}, block_io{};
    std::int64_t waits = 0;
    std::array<std::uint64_t, kWaitBuckets> histogram{};  ///< see kWaitBuckets
  };
  struct Pair {
    CgroupId victim{}, antagonist{};  ///< antagonist none: tasks outside of what is watched
    bool sibling = false;             ///< it had the other thread of the core
    auto operator<=>(const Pair&) const = default;
  };
  /// A scrape must stay affordable: pairs that come when there are so many are summed up as one.
  static constexpr std::size_t kMostPairs = 1000;

  /// Takes in what a tick has measured. Allocates only for who is seen for the first time.
  void add(const NodeSnapshot& node, const CgroupTree& tree);

  [[nodiscard]] const std::unordered_map<CgroupId, Sums>& sums() const { return sums_; }
  [[nodiscard]] const std::map<Pair, Duration>& blame() const { return blame_; }
  [[nodiscard]] Duration other_blame() const { return other_blame_; }

 private:
  void add_histogram(Sums& sums, const RunQueueWait& wait);
  void forget_gone(const CgroupTree& tree);
  std::unordered_map<CgroupId, Sums> sums_{};
  std::unordered_map<CgroupId, std::array<std::uint64_t, kWaitBuckets>> seen_{};  ///< of each cgroup
  std::map<Pair, Duration> blame_{};
  Duration other_blame_{};
};

}  // namespace evenkeel
