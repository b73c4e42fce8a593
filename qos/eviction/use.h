// The CPU figures that evictions are judged by: averages over cpuEvictTimeWindowSeconds, and those of this
// tick. May not: judge them (cpu_evict.cpp does).
#pragma once

#include <optional>
#include <vector>

#include "qos/decide/shared.h"
#include "qos/model/snapshot.h"
#include "qos/model/time_window.h"

namespace evenkeel::eviction {

/// Of all best-effort pods together.
struct BestEffortCpu {
  MilliCpu use{};
  MilliCpu request{};  ///< batch-cpu
  MilliCpu limit{};    ///< what they can have at most
  bool operator==(const BestEffortCpu&) const = default;
};

struct EvictionUse {
  TimeWindow<1> node{};         ///< CPU use
  TimeWindow<3> best_effort{};  ///< use, request, limit
  std::optional<BestEffortCpu> best_effort_now{};
  /// The brake is on: for a moment best effort has less on purpose, for which nobody has to go.
  bool braked = false;
  std::vector<CgroupId> antagonists{};  ///< pods that hurt a service again and again; ascending
};

/// The window of the averages. Not configured: 10 s. The reference takes one second then, so that a single
/// busy one costs a life (W13); who wants that can say so.
Duration eviction_window(const NodeSnapshot& node, const ThresholdStrategy& threshold);

/// Takes in the figures of this tick. What is not known leaves a hole.
void observe(const NodeSnapshot& node, const ThresholdStrategy& threshold, EvictionUse& use);

/// The facts that eviction reads. It decides after all policies.
using EvictionFacts = decide::FactView<decide::Reads<decide::BrakeInForce, decide::RepeatAntagonists>>;
/// Takes those facts in; before observe().
void take_facts(EvictionFacts facts, EvictionUse& use);

/// A victim has gone: what was used before tells nothing about what is used without it.
void restart_window(EvictionUse& use);

}  // namespace evenkeel::eviction
