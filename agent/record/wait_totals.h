// Totals of what pods and host applications waited for, and because of which pods, since each was first seen;
// for metrics. Does not measure or judge.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "agent/record/blame_totals.h"
#include "cgroup/tree/tree.h"
#include "qos/model/snapshot.h"

namespace evenkeel::record {

class WaitTotals {
 public:
  struct Sums {
    Duration waited{}, reclaim{}, block_io{};
    std::int64_t waits = 0;
    std::array<std::uint64_t, kWaitBuckets> histogram{};  ///< see kWaitBuckets
  };
  /// Adds the measurements of a tick. Allocates only for cgroups that are new.
  void add(const NodeSnapshot& node, const tree::CgroupTree& tree);

  [[nodiscard]] const std::unordered_map<CgroupId, Sums>& sums() const { return sums_; }
  [[nodiscard]] const BlameTotals& blame() const { return blame_; }

 private:
  void add_blame(const RunQueue& run_queue, const tree::CgroupTree& tree);
  void add_histogram(Sums& sums, const RunQueueWait& wait);
  void forget_gone(const tree::CgroupTree& tree);
  std::unordered_map<CgroupId, Sums> sums_{};
  std::unordered_map<CgroupId, std::array<std::uint64_t, kWaitBuckets>> seen_{};  ///< of each cgroup
  BlameTotals blame_{};
};

}  // namespace evenkeel::record
