// What eviction keeps between ticks, and the figures of CPU use that its decisions read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "qos/decide/shared.h"
#include "qos/model/reason.h"
#include "qos/model/snapshot.h"
#include "qos/model/time_window.h"
#include "qos/model/units.h"

namespace evenkeel::eviction {

// CPU figures for eviction decisions: averages over cpuEvictTimeWindowSeconds, and those of this tick. Does
// not judge them (cpu_evict.cpp does).

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

// State of eviction between ticks: the pending pod, recent evictions, pods that are skipped for a while, and
// the last verdicts. A value, so that a tick can be replayed.

/// The last verdict of a trigger, for status output.
struct EvictionVerdict {
  bool needed = false;  ///< a pod must be evicted
  Reason why{};         ///< the figures behind it, or why they are not known
  Reason outcome{};     ///< which pod is evicted, or why none is
};

struct EvictionState {
  static constexpr std::size_t kTriggers = 9;
  static constexpr int kMaxTokens = 5;

  struct Asked {
    std::string uid{}, owner_uid{}, gang{};
    MonoTime at{};
    std::string_view by{};
    Duration patience{};  ///< after which it is not waited for any longer
  };
  std::optional<Asked> pending{};   ///< eviction requested, and its cgroup is still there
  std::optional<MonoTime> freed{};  ///< when the last victim's cgroup was gone
  std::optional<MonoTime> began{};  ///< when the first decision was made
  std::uint16_t draining = 0;       ///< by trigger: between its threshold and its lower mark
  struct SkippedPod {
    std::string uid{};
    MonoTime until{};
  };
  std::vector<SkippedPod> skipped_pods{};  ///< eviction refused or failed; not requested again before then
  struct Gone {
    std::string uid{}, owner_uid{}, gang{};
    MonoTime at{};
  };
  std::vector<Gone> recent_evictions{};
  int tokens = kMaxTokens;  ///< this many evictions may follow at once; one more comes with time
  MonoTime refilled{};
  EvictionUse use{};
  std::array<EvictionVerdict, kTriggers> verdicts{};  ///< in the order of eviction_triggers()
};

}  // namespace evenkeel::eviction
