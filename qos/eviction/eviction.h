// Decides which pod must be evicted, if any: a pure function of the snapshot, one victim at a time. Does not
// request the eviction (agent/ does). Treats a pod as present until its cgroup is removed.
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

}  // namespace evenkeel::eviction
