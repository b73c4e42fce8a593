#include "agent/record/wait_totals.h"

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

namespace {

/// Containers count for their pods. Empty for a cgroup that no longer exists.
CgroupId whose(const tree::CgroupTree& tree, CgroupId id) {
  const auto* cgroup = tree.find(id);
  if (cgroup == nullptr) return {};
  return cgroup->kind == CgroupKind::container ? cgroup->parent : cgroup->id;
}

}  // namespace

void WaitTotals::add_histogram(Sums& sums, const RunQueueWait& wait) {
  auto& seen = seen_[wait.cgroup];
  for (std::size_t i = 0; i < kWaitBuckets; ++i) {
    // Less than before: the measurement was restarted.
    sums.histogram[i] += wait.histogram[i] >= seen[i] ? wait.histogram[i] - seen[i] : wait.histogram[i];
    seen[i] = wait.histogram[i];
  }
}

void WaitTotals::forget_gone(const tree::CgroupTree& tree) {
  const auto gone = [&](CgroupId id) { return id && tree.find(id) == nullptr; };
  std::erase_if(sums_, [&](const auto& entry) { return gone(entry.first); });
  std::erase_if(seen_, [&](const auto& entry) { return gone(entry.first); });
  blame_.forget(gone);
}

void WaitTotals::add(const NodeSnapshot& node, const tree::CgroupTree& tree) {
  if (seen_.size() > node.run_queue.waits.size()) forget_gone(tree);
  for (const auto& wait : node.run_queue.waits) {
    auto& sums = sums_[whose(tree, wait.cgroup)];
    sums.waited += wait.waited;
    sums.waits += wait.waits;
    add_histogram(sums, wait);
  }
  for (const auto& stall : node.stalls) {
    auto& sums = sums_[whose(tree, stall.cgroup)];
    sums.reclaim += stall.reclaim.value_or(Duration::zero());
    sums.block_io += stall.block_io.value_or(Duration::zero());
  }
  add_blame(node.run_queue, tree);
}

void WaitTotals::add_blame(const RunQueue& run_queue, const tree::CgroupTree& tree) {
  for (const auto& one : run_queue.blame)
    blame_.add(
        {.victim = whose(tree, one.victim), .antagonist = whose(tree, one.runner), .sibling = one.sibling},
        one.time);
  for (const auto& one : run_queue.blame_remainders)
    blame_.add_other({.victim = whose(tree, one.victim), .sibling = one.sibling}, one.time);
  blame_.flush();
}

}  // namespace evenkeel::record
