#include "agent/record/blame_totals.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace evenkeel::record {
namespace {

/// Each replacement scans all known pairs.
constexpr int kReplacedInATick = 16;

using Entry = std::pair<const BlameTotals::Pair, BlameTotals::Sum>;
bool shorter(const Entry& a, const Entry& b) { return a.second.all < b.second.all; }

BlameTotals::Side side_of(const BlameTotals::Pair& pair) { return {pair.victim, pair.sibling}; }

}  // namespace

void BlameTotals::add(const Pair& pair, Duration time) {
  auto found = shown_.find(pair);
  if (found == shown_.end() && shown_.size() < kMaxShownPairs && !waiting_.contains(pair))
    found = shown_.emplace(pair, Sum{}).first;
  if (found != shown_.end()) {
    found->second.all += time;
    found->second.shown += time;
  } else {
    waiting_[pair].all += time;
    add_other(side_of(pair), time);
  }
}

void BlameTotals::flush() {
  for (int i = 0; i < kReplacedInATick && replace_one(); ++i) {
  }
  if (known() > kMaxPairs) evict_shortest();
}

/// A pair that is only slightly longer replaces none: a series that appears and disappears is of no use.
bool BlameTotals::replace_one() {
  const auto up = std::max_element(waiting_.begin(), waiting_.end(), shorter);
  if (up == waiting_.end()) return false;
  if (shown_.size() >= kMaxShownPairs) {
    const auto down = std::min_element(shown_.begin(), shown_.end(), shorter);
    if (up->second.all <= down->second.all * 9 / 8) return false;
    add_other(side_of(down->first), down->second.shown);
    down->second.shown = {};
    waiting_.insert(shown_.extract(down));
  }
  shown_.insert(waiting_.extract(up));
  return true;
}

/// Drops the shorter half of the pairs that are not shown: their time is in others_ already.
void BlameTotals::evict_shortest() {
  std::vector<Duration> times;
  for (const auto& [pair, sum] : waiting_) times.push_back(sum.all);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  std::erase_if(waiting_, [&](const Entry& entry) { return entry.second.all <= *middle; });
}

}  // namespace evenkeel::record
