#include "agent/record/wait_totals.h"

#include <algorithm>

namespace evenkeel::record {
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
