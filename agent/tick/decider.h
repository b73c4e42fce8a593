// Turns a snapshot into a plan: asks the policies for intents, and the arbiter for one value per file. Owns
// all state that policies keep from tick to tick. Does not read from or write to the kernel.
#pragma once

#include <vector>

#include "agent/history/baselines.h"
#include "agent/inputs/inputs.h"
#include "cgroup/executor/executor.h"
#include "qos/decide/arbiter.h"
#include "qos/eviction/use.h"
#include "qos/model/reclaim_order.h"
#include "qos/registry.h"

namespace evenkeel::tick {

class Decider {
 public:
  /// `inputs` and `node` must outlive it. `baselines`: the usual levels of workloads, kept over restarts.
  Decider(const inputs::Inputs& inputs, const NodeSnapshot& node, history::Baselines baselines)
      : inputs_(inputs), node_(node), baselines_(std::move(baselines)) {}

  void decide(MonoTime now);
  /// Of the last decide().
  [[nodiscard]] const decide::Intents& intents() const { return intents_; }
  [[nodiscard]] const std::vector<decide::Intent>& plan() const { return plan_; }
  /// Adds names of disks in blkioQOS that lead to no disk, as refusals, once each.
  void report_unresolved_disks(MonoTime now, executor::Report& report);

  /// The reclaim orders of this tick, in place of all earlier ones. Only on fresh measurements.
  void decide_reclaim(std::vector<ReclaimOrder>& orders);

  /// Saves what is usual for workloads if a copy is due, or now because it is the last one.
  void save(MonoTime now, bool last);

  [[nodiscard]] const decide::PolicyState& state() const { return state_; }
  /// For alarms, which arrive between two decisions.
  [[nodiscard]] brake::BrakeState& brake_state() { return state_.of<brake::BrakeState>(); }
  /// What the policies published for the evictions of this tick.
  [[nodiscard]] eviction::EvictionFacts eviction_facts() { return eviction::EvictionFacts(state_.shared); }

 private:
  const inputs::Inputs& inputs_;
  const NodeSnapshot& node_;
  history::Baselines baselines_;
  decide::PolicyState state_{};
  decide::Intents intents_{};
  std::vector<decide::Intent> plan_{};
};

}  // namespace evenkeel::tick
