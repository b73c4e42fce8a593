// Who had the CPU while whom waited, in sums that only grow: pair by pair for the longest, and for each
// victim what is left. May not: measure, or judge.
#pragma once

#include <cstdint>
#include <map>

#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::record {

class BlameTotals {
 public:
  struct Pair {
    CgroupId victim{}, antagonist{};  ///< antagonist none: tasks outside of what is watched
    bool sibling = false;             ///< it had the other thread of the core
    auto operator<=>(const Pair&) const = default;
  };
  struct Side {
    CgroupId victim{};
    bool sibling = false;
    auto operator<=>(const Side&) const = default;
  };
  struct Sum {
    Duration all{};    ///< by which pairs are compared
    Duration shown{};  ///< since it is shown; what was before is in others()
  };
  /// A scrape must stay affordable: so many pairs are shown. Of so many it is known how long they are, so
  /// that the longest can be the ones that are shown; the shortest of the others are forgotten.
  static constexpr std::size_t kMaxShownPairs = 1000, kMaxPairs = 4000;

  void add(const Pair& pair, Duration time);
  void add_other(const Side& side, Duration time) { others_[side] += time; }
  /// After each tick: who has become longer than the shortest that is shown takes its place, a few at a time.
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
  /// Of pairs that are not, or were not yet.
  [[nodiscard]] const std::map<Side, Duration>& others() const { return others_; }
  [[nodiscard]] std::size_t known() const { return shown_.size() + waiting_.size(); }

 private:
  bool replace_one();
  void evict_shortest();
  std::map<Pair, Sum> shown_{}, waiting_{};
  std::map<Side, Duration> others_{};
};

}  // namespace evenkeel::record
