// What a tick does: decides, executes the plan and the reclaim orders, and its result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/history/verdict_checkpoint.h"
#include "agent/history/workload_checkpoint.h"
#include "agent/inputs/inputs.h"
#include "agent/record/recorder.h"
#include "agent/writers/writers.h"
#include "cgroup/executor/executor.h"
#include "cgroup/reclaim/reclaimer.h"
#include "qos/decide/intent.h"
#include "qos/eviction/eviction.h"
#include "qos/eviction/state.h"
#include "qos/model/reclaim_order.h"
#include "qos/registry.h"

namespace evenkeel::tick {

// The result of a tick, and the totals of all ticks for the metrics. Plain data.

/// What one tick, or one round between two ticks, did.
struct TickResult {
  MonoTime now{};
  executor::Report report{};
  std::vector<eviction::Eviction> evictions{};  ///< pods that were chosen (dry run: that would be evicted)
  std::vector<ReclaimOrder> reclaims{};         ///< in force until the next tick
  std::vector<std::string> problems{};          ///< inputs that were refused in this tick
};

/// Sums since the start.
struct TickCounters {
  std::uint64_t ticks = 0;
  std::uint64_t early_ticks = 0;   ///< rounds between two ticks
  std::uint64_t early_pauses = 0;  ///< times that events had to wait for the next tick
  std::uint64_t late_ticks = 0;    ///< ticks that came due while an earlier one still ran
  Duration last_tick{}, longest_tick{}, last_early_tick{}, longest_early_tick{};
};

/// Adds to a report what was done before it.
void put_first(executor::Report& report, executor::Report before);

// Turns a snapshot into a plan: asks the policies for intents, and the arbiter for one value per file. Owns
// all state that policies keep from tick to tick. Does not read from or write to the kernel.

class Decider {
 public:
  /// `inputs` and `node` must outlive it. `baselines`: the usual levels of workloads, `verdicts`: what was
  /// found about levers, both kept over restarts.
  Decider(const inputs::Inputs& inputs, const NodeSnapshot& node, history::Baselines baselines,
          history::Verdicts verdicts)
      : inputs_(inputs), node_(node), baselines_(std::move(baselines)), verdicts_(std::move(verdicts)) {}

  void decide(MonoTime now);
  /// Of the last decide().
  [[nodiscard]] const decide::Intents& intents() const { return intents_; }
  [[nodiscard]] const std::vector<decide::Intent>& plan() const { return plan_; }
  /// Adds names of disks in blkioQOS that lead to no disk, as refusals, once each.
  void report_unresolved_disks(MonoTime now, executor::Report& report);

  /// The reclaim orders of this tick, in place of all earlier ones. Only on fresh measurements.
  void decide_reclaim(std::vector<ReclaimOrder>& orders);

  /// Saves what is usual for workloads and what was found about levers, if `reason` asks for a copy.
  void save(MonoTime now, history::SaveReason reason);

  [[nodiscard]] const decide::PolicyState& state() const { return state_; }
  /// For alarms, which arrive between two decisions.
  [[nodiscard]] brake::BrakeState& brake_state() { return state_.of<brake::BrakeState>(); }
  /// What the policies published for the evictions of this tick.
  [[nodiscard]] eviction::EvictionFacts eviction_facts() { return eviction::EvictionFacts(state_.shared); }

 private:
  const inputs::Inputs& inputs_;
  const NodeSnapshot& node_;
  history::Baselines baselines_;
  history::Verdicts verdicts_;
  decide::PolicyState state_{};
  decide::Intents intents_{};
  std::vector<decide::Intent> plan_{};
};

// Carries out the reclaim orders of each tick and records their outcomes. Does not choose cgroups
// (qos/memory/reclaim.h does).

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

// Executes one tick's decisions: the plan through the executor, the intents that are no cgroup values through
// the other writers, in the order that the kernel needs. Does not decide.

class Execution {
 public:
  /// Both must outlive it.
  Execution(const tree::CgroupTree& tree, writers::KernelAccess& kernel, bool dry_run)
      : executor_(tree, kernel.files, kernel.journal, {.dry_run = dry_run}),
        writers_(tree, kernel, dry_run) {}

  using ForeignWrites = std::vector<tree::TreeWatch::Changes::Value>;
  /// The I/O cost model, then the plan. `seen`: values that other processes wrote since the last call.
  executor::Report apply(const std::vector<decide::Intent>& plan, const decide::Intents& intents,
                         const NodeSnapshot& node, const ForeignWrites& seen, MonoTime now);
  /// After apply(): everything that is neither a cgroup value nor the I/O cost model.
  void apply_others(const decide::Intents& intents, MonoTime now, executor::Report& report);
  /// Puts every original back: orderly stop.
  executor::Report restore_all(MonoTime now);

  /// Every value held now: the executor's, then those of the other writers.
  [[nodiscard]] std::vector<executor::Managed> managed() const;
  /// Values that stay their owners' although a policy wants another.
  [[nodiscard]] std::vector<executor::Kept> kept() const { return executor_.kept(); }
  [[nodiscard]] const executor::ExecutorCounters& counters() const { return executor_.counters(); }
  [[nodiscard]] const writers::Writers& writers() const { return writers_; }

 private:
  void mark_withheld(const decide::Intents& intents, executor::Report& report);

  executor::Executor executor_;
  writers::Writers writers_;
  std::vector<std::string> on_trial_{};  ///< paths of values that are withheld, until they are back
};

}  // namespace evenkeel::tick
