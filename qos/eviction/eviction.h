// Whether a pod must be evicted and which one, and the triggers that require it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "qos/eviction/state.h"
#include "qos/model/nodeslo.h"
#include "qos/model/reason.h"
#include "qos/model/snapshot.h"

namespace evenkeel::eviction {

// Decides which pod must be evicted, if any: a pure function of the snapshot, one victim at a time. Does not
// request the eviction (agent/ does). Treats a pod as present until its cgroup is removed.

/// The kubelet's default, for a pod that gives none.
inline constexpr Duration kDefaultGrace = std::chrono::seconds(30);

struct Eviction {
  std::string namespace_{}, name{}, uid{};
  std::string_view by{};  ///< the trigger: "memory-evict"
  Reason why{};
  FeatureGate gate{};  ///< the trigger as Koordinator names it
};

struct EvictionInput {
  const NodeSnapshot& node;
  const ThresholdStrategy& threshold;
  const EvictionUse& use;
};
struct EvictionNeed {
  enum class Is : std::uint8_t { no, yes, unknown };
  Is is = Is::no;  ///< unknown evicts no pod, and does not end what has begun
  Reason why{};    ///< the figures, or what is not known
};
/// The lower goes first; the first that differs decides.
using EvictionRank = std::array<std::int64_t, 3>;

/// One reason to evict: a row. The common part of all is in eviction.cpp.
struct EvictionTrigger {
  std::string_view name;
  FeatureGate gate;
  Duration cool_down;  ///< after a victim is gone, before the next is chosen: the node's figures follow late
  bool cools_down_at_start;  ///< for one cool-down: a node that has just started is busy with that
  /// The setting without which it cannot run; null: it can.
  const char* (*missing)(const ThresholdStrategy&);
  /// Whether a pod must be evicted now. `draining`: eviction has begun, and continues to the lower mark.
  EvictionNeed (*need)(const EvictionInput&, bool draining);
  bool (*is_candidate)(const ThresholdStrategy&, const Pod&);
  EvictionRank (*rank)(const Pod&);
  /// How much of the scarce resource its eviction frees. Not above zero, or not known: it is not evicted for
  /// this.
  std::optional<std::int64_t> (*releases)(const EvictionInput&, const PodSample&);
  /// Among equals the heavier goes first.
  std::int64_t (*weight)(const NodeSnapshot&, const PodSample&);
};

/// THE list of triggers, in the order in which they are evaluated.
std::span<const EvictionTrigger* const> eviction_triggers();

/// The next victim. Remembers it as pending: the next one is chosen when its cgroup is gone and that did not
/// suffice, or when its patience is over and it is still there (then it is passed over).
std::optional<Eviction> decide_eviction(const NodeSnapshot& node, const NodeSlo& slo, EvictionState& state);
/// The API refused (a disruption budget, for example): this pod is skipped until `until`.
void skip_pod(EvictionState& state, const std::string& uid, MonoTime until);
/// Its processes have ended although its cgroup may stay: a kubelet without its API restarts it.
void ended(EvictionState& state, const std::string& uid, MonoTime now);

// The eviction triggers: each says from the snapshot whether a pod must be evicted and which pods may be.
// Pure.

// Eviction by requests: more batch or mid is requested than the Node advertises. Only what the pods in
// question can free counts as short, and only those that stay count as requesting. Koordinator also counts
// native requests of unclassified pods, which none of them can free, and finished pods. A Node without batch
// or mid values, or with old ones, is unknown, not zero: no pod is evicted.

/// CPUAllocatableEvict, for batch-cpu and mid-cpu.
extern const EvictionTrigger batch_cpu_evict_trigger, mid_cpu_evict_trigger;
/// MemoryAllocatableEvict, for batch-memory and mid-memory.
extern const EvictionTrigger batch_memory_evict_trigger, mid_memory_evict_trigger;

// Eviction by CPU use: best effort that is starved, and a node that is busy. Averages over a window of which
// a third has to be measured, and the figures of this tick must be known (for BECPUEvict: agree); after an
// eviction the window starts anew. Does not look at requests (allocatable_evict.cpp does).

/// BECPUEvict: best effort uses all of its allowance, and that is little of what it requested: some pods are
/// evicted, so that the others get on. From cpuEvictBESatisfactionLowerPercent up to ...UpperPercent.
extern const EvictionTrigger be_cpu_evict_trigger;
/// CPUEvict: the node's use is above cpuEvictThresholdPercent; pods up to evictEnabledPriorityThreshold that
/// allow it are evicted until it is below cpuEvictLowerPercent (default: the threshold less 2).
extern const EvictionTrigger cpu_evict_trigger;

// Eviction by the node's memory use: two triggers on one figure. Any percentage is exact here; Koordinator
// truncates it to whole ones first, and so frees up to one percent of the node less than configured. Does not
// look at requests (allocatable_evict.cpp does).

/// BEMemoryEvict: best-effort pods are evicted, one after the other, until the node's memory use is below
/// memoryEvictLowerPercent (default: the threshold less 2).
extern const EvictionTrigger be_memory_evict_trigger;
/// MemoryEvict: the same for pods of any class up to evictEnabledPriorityThreshold that allow it. Koordinator
/// credits each victim with a thousand times its memory, and so stops after one.
extern const EvictionTrigger memory_evict_trigger;

// Eviction of pods that hurt services repeatedly: each time a limit helped, and each time it was needed anew.
// Does not judge which pod hurts which (interference.h does).

/// InterferenceEvict, a trigger of our own: a best-effort pod is evicted after interference.evictAfter limits
/// that helped within a day.
extern const EvictionTrigger interference_evict_trigger;

}  // namespace evenkeel::eviction
