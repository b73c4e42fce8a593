// Records that memory is reclaimed from a cgroup and why reclaim ended early, once per cgroup and not for
// each chunk. Does not reclaim.
#pragma once

#include <vector>

#include "agent/record/recorder.h"
#include "qos/model/reclaim_order.h"

namespace evenkeel::record {

class ReclaimRecord {
 public:
  /// Both must outlive it.
  ReclaimRecord(const tree::CgroupTree& tree, Recorder& recorder) : tree_(tree), recorder_(recorder) {}
  /// Records one tick's orders, and the outcomes of earlier orders.
  void record(const std::vector<ReclaimOrder>& orders, const std::vector<ReclaimOutcome>& outcomes,
              MonoTime now);

 private:
  struct Recorded {
    CgroupId target{};
    MonoTime ordered{};  ///< last time
  };
  void record_start(const ReclaimOrder& order, MonoTime now);
  void record_end(const ReclaimOutcome& outcome, MonoTime now);
  const tree::CgroupTree& tree_;
  Recorder& recorder_;
  std::vector<Recorded> recorded_{};  ///< cgroups whose reclaim is on record
};

}  // namespace evenkeel::record
