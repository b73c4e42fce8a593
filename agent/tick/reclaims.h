// Carries out the reclaim orders of each tick and records their outcomes. Does not choose cgroups
// (qos/memory/reclaim.h does).
#pragma once

#include <vector>

#include "agent/record/reclaim_record.h"
#include "cgroup/reclaim/reclaimer.h"

namespace evenkeel::tick {

class Reclaims {
 public:
  /// Both must outlive it.
  Reclaims(const tree::CgroupTree& tree, reclaim::Reclaimer::How how, record::Recorder& recorder)
      : reclaimer_(tree, how), record_(tree, recorder) {}

  /// What the kernel supports for reclaim.
  [[nodiscard]] ReclaimSupport ability() { return reclaimer_.ability(); }
  /// The outcomes of orders since the last call.
  void report(std::vector<ReclaimOutcome>& outcomes) { reclaimer_.report(outcomes); }
  /// The orders from now on, in place of all earlier ones; `outcomes` are those of report().
  void order(const std::vector<ReclaimOrder>& orders, const std::vector<ReclaimOutcome>& outcomes,
             MonoTime now) {
    reclaimer_.follow(orders);
    record_.record(orders, outcomes, now);
  }
  void stop() { reclaimer_.follow({}); }
  [[nodiscard]] const reclaim::Reclaimer& reclaimer() const { return reclaimer_; }

 private:
  reclaim::Reclaimer reclaimer_;
  record::ReclaimRecord record_;
};

}  // namespace evenkeel::tick
