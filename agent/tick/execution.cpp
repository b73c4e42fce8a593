#include "agent/tick/execution.h"

#include <algorithm>
#include <utility>

#include "qos/io/policies.h"
#include "qos/memory/policies.h"

namespace evenkeel::tick {
namespace {

/// A tenant may name many disks that do not exist: so many of them are reported per tick, the others later.
constexpr int kMostUnresolvedDisks = 16;

}  // namespace

void Decider::decide(MonoTime now) {
  const NodeSlo& slo = *inputs_.slo();
  intents_.clear();
  baselines_.update(node_, slo, now, state_.of<interference::InterferenceState>(),
                    interference::InterferencePolicy::Facts(state_.shared));
  verdicts_.update(slo, now, state_.of<proof::ProofState>());
  decide::decide_all(node_, slo, state_, intents_);
  decide::arbitrate(node_, slo, intents_, plan_);
}

void Decider::report_unresolved_disks(MonoTime now, executor::Report& report) {
  for (int i = 0; i < kMostUnresolvedDisks; ++i) {
    const auto* block = io::take_unreported(state_.of<io::BlkioState>(), now);
    if (!block) return;
    report.refusals.push_back({.path = block->name,
                               .error = {ENODEV, Op::open, ""},
                               .text = "blkioQOS",
                               .cgroup = block->cgroup,
                               .detail = io::unresolved_reason(*block)});
  }
}

void Decider::decide_reclaim(std::vector<ReclaimOrder>& orders) {
  memory::decide_reclaim(node_, *inputs_.slo(), state_.memory_reclaim, memory::ReclaimFacts(state_.shared),
                         orders);
}

void Decider::save(MonoTime now, history::SaveReason reason) {
  baselines_.save(node_, *inputs_.slo(), now, reason, state_.of<interference::InterferenceState>());
  verdicts_.save(*inputs_.slo(), now, reason, state_.of<proof::ProofState>());
}

void put_first(executor::Report& report, executor::Report before) {
  const auto merge = [](auto& to, auto& from) {
    if (!from.empty()) to.insert(to.begin(), from.begin(), from.end());
  };
  merge(report.writes, before.writes);
  merge(report.refusals, before.refusals);
  merge(report.foreign, before.foreign);
}

executor::Report Execution::apply(const std::vector<decide::Intent>& plan, const decide::Intents& intents,
                                  const NodeSnapshot& node, const ForeignWrites& seen, MonoTime now) {
  executor::Report io_cost;
  writers_.apply_io_cost(intents, now, io_cost);
  executor::Report report = executor_.apply(plan, node, seen);
  put_first(report, std::move(io_cost));
  return report;
}

void Execution::apply_others(const decide::Intents& intents, MonoTime now, executor::Report& report) {
  writers_.apply(intents, now, report);
  mark_withheld(intents, report);
}

/// The writers restore what no intent names; they do not know that one was taken away.
void Execution::mark_withheld(const decide::Intents& intents, executor::Report& report) {
  for (executor::Written& write : report.writes) {
    const auto* withheld = intents.withheld(write.by);
    if (!write.restored) {
      write.of_trial = std::ranges::find(on_trial_, write.path) != on_trial_.end();
    } else if (withheld != nullptr) {
      write.why = withheld->why;
      write.of_trial = withheld->for_a_trial;
    }
  }
  if (!intents.on_trial() && !report.writes.empty()) on_trial_.clear();
  for (const executor::Written& write : report.writes)
    if (write.restored && write.of_trial && std::ranges::find(on_trial_, write.path) == on_trial_.end())
      on_trial_.push_back(write.path);
}

executor::Report Execution::restore_all(MonoTime now) {
  executor::Report report = executor_.restore_all(now);
  writers_.restore_all(now, report);
  return report;
}

std::vector<executor::Managed> Execution::managed() const {
  auto all = executor_.managed();
  writers_.add_managed(all);
  return all;
}

}  // namespace evenkeel::tick
