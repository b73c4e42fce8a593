#include "agent/tick/decider.h"

#include "qos/io/disk.h"
#include "qos/memory/reclaim.h"

namespace evenkeel::tick {

void Decider::decide(MonoTime now) {
  const NodeSlo& slo = *inputs_.slo();
  intents_.clear();
  baselines_.update(node_, slo, now, state_.of<interference::InterferenceState>(),
                    interference::InterferencePolicy::Facts(state_.shared));
  decide::decide_all(node_, slo, state_, intents_);
  decide::arbitrate(node_, slo, intents_, plan_);
}

void Decider::report_unresolved_disks(MonoTime now, executor::Report& report) {
  while (const auto* block = io::take_unreported(state_.of<io::BlkioState>(), now))
    report.refusals.push_back({.path = block->name,
                               .error = {ENODEV, Op::open, ""},
                               .text = "blkioQOS",
                               .cgroup = block->cgroup,
                               .detail = io::unresolved_reason(*block)});
}

void Decider::decide_reclaim(std::vector<ReclaimOrder>& orders) {
  memory::decide_reclaim(node_, *inputs_.slo(), state_.memory_reclaim, memory::ReclaimFacts(state_.shared),
                         orders);
}

void Decider::save(MonoTime now, bool last) {
  baselines_.save(node_, *inputs_.slo(), now, last, state_.of<interference::InterferenceState>());
}

}  // namespace evenkeel::tick
