// Totals of waits since the agent started, for the metrics.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "cgroup/tree/tree.h"
#include "qos/model/ids.h"
#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::record {

// Totals of CPU waits by victim and antagonist, which only grow: pair by pair for the longest, and one
// remainder per victim. Does not measure or judge.

class BlameTotals {
 public:
  struct Pair {
    CgroupId victim{}, antagonist{};  ///< antagonist none: tasks outside the watched cgroups
    bool sibling = false;             ///< the antagonist ran on the sibling hyperthread
    auto operator<=>(const Pair&) const = default;
  };
  struct Side {
    CgroupId victim{};
    bool sibling = false;
    auto operator<=>(const Side&) const = default;
  };
  struct Sum {
    Duration all{};    ///< total, by which pairs are compared
    Duration shown{};  ///< since the pair is shown; earlier time is in others()
  };
  /// Limits the cost of a scrape: pairs that are shown, and pairs whose totals are kept so that the longest
  /// can be shown. Beyond that the shortest pairs that are not shown are dropped.
  static constexpr std::size_t kMaxShownPairs = 1000, kMaxPairs = 4000;

  void add(const Pair& pair, Duration time);
  void add_other(const Side& side, Duration time) { others_[side] += time; }
  /// After each tick: a pair that is now longer than the shortest shown pair replaces it, a few pairs a tick.
  void flush();
  template <class Gone>
  void forget(Gone gone) {
    const auto pair_gone = [&](const auto& entry) {
      return gone(entry.first.victim) || gone(entry.first.antagonist);
    };
    std::erase_if(shown_, pair_gone);
    std::erase_if(waiting_, pair_gone);
    std::erase_if(others_, [&](const auto& entry) { return gone(entry.first.victim); });
  }

  [[nodiscard]] const std::map<Pair, Sum>& shown() const { return shown_; }
  /// Time of pairs while they were not shown.
  [[nodiscard]] const std::map<Side, Duration>& others() const { return others_; }
  [[nodiscard]] std::size_t known() const { return shown_.size() + waiting_.size(); }

 private:
  bool replace_one();
  void evict_shortest();
  std::map<Pair, Sum> shown_{}, waiting_{};
  std::map<Side, Duration> others_{};
};

// Totals of what pods and host applications waited for, and because of which pods, since each was first seen;
// for metrics. Does not measure or judge.

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
