// CPU figures for eviction decisions: averages over cpuEvictTimeWindowSeconds, and those of this tick. Does
// not judge them (cpu_evict.cpp does).
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
  /// The brake is on: best effort has less on purpose for a moment, for which no pod is evicted.
  bool braked = false;
  std::vector<CgroupId> antagonists{};  ///< pods that hurt a service repeatedly; ascending
};

/// The window of the averages. Not configured: 10 s. Koordinator takes one second then, so that a single busy
/// one evicts a pod; that can be configured.
Duration eviction_window(const NodeSnapshot& node, const ThresholdStrategy& threshold);

/// Adds the figures of this tick. An unknown figure leaves a gap.
void observe(const NodeSnapshot& node, const ThresholdStrategy& threshold, EvictionUse& use);

/// The facts that eviction reads. It decides after all policies.
using EvictionFacts = decide::FactView<decide::Reads<decide::BrakeInForce, decide::RepeatAntagonists>>;
/// Takes those facts in; before observe().
void take_facts(EvictionFacts facts, EvictionUse& use);

/// After an eviction: earlier use says nothing about the use without the victim.
void restart_window(EvictionUse& use);

}  // namespace evenkeel::eviction
