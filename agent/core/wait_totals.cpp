#include "agent/core/wait_totals.h"

#include <algorithm>

namespace evenkeel {
namespace {

/// Containers count for their pods; whoever is gone is nobody.
CgroupId whose(const CgroupTree& tree, CgroupId id) {
  const auto* cgroup = tree.find(id);
  if (cgroup == nullptr) return {};
  return cgroup->kind == CgroupKind::container ? cgroup->parent : cgroup->id;
}

}  // namespace

void WaitTotals::add_histogram(Sums& sums, const RunQueueWait& wait) {
  auto& seen = seen_[wait.cgroup];
  for (std::size_t i = 0; i < kWaitBuckets; ++i) {
    // Less than before: it is measured anew.
    sums.histogram[i] += wait.histogram[i] >= seen[i] ? wait.histogram[i] - seen[i] : wait.histogram[i];
    seen[i] = wait.histogram[i];
  }
}

void WaitTotals::forget_gone(const CgroupTree& tree) {
  const auto gone = [&](CgroupId id) { return id && tree.find(id) == nullptr; };
  std::erase_if(sums_, [&](const auto& entry) { return gone(entry.first); });
  std::erase_if(seen_, [&](const auto& entry) { return gone(entry.first); });
  std::erase_if(blame_,
                [&](const auto& entry) { return gone(entry.first.victim) || gone(entry.first.antagonist); });
}

void WaitTotals::add(const NodeSnapshot& node, const CgroupTree& tree) {
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
  for (const auto& one : node.run_queue.blame) {
    const Pair pair{
        .victim = whose(tree, one.victim), .antagonist = whose(tree, one.runner), .sibling = one.sibling};
    const auto found = blame_.find(pair);
    if (found != blame_.end()) {
      found->second += one.time;
    } else if (blame_.size() < kMostPairs) {
      blame_.emplace(pair, one.time);
    } else {
      other_blame_ += one.time;
    }
  }
}

}  // namespace evenkeel
