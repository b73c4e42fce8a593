// Which pod has to go, if any: a pure function of what is known, one victim at a time. May not: ask anybody
// to evict it (agent/ does), nor believe that it is gone before its cgroup is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qos/nodeslo.h"
#include "qos/reason.h"
#include "qos/snapshot.h"

namespace evenkeel {

struct Eviction {
  std::string namespace_{}, name{}, uid{};
  std::string_view by{};  ///< the trigger: "memory-evict"
  Reason why{};
};

/// What is remembered between ticks.
struct EvictionState {
  struct Asked {
    std::string uid{};
    MonoTime at{};
    std::string_view by{};
  };
  std::optional<Asked> pending{};   ///< asked to go, and its cgroup is still there
  std::optional<MonoTime> freed{};  ///< when the last victim's cgroup was gone
  std::uint8_t draining = 0;        ///< by trigger: between its threshold and its lower mark
  struct PassedOver {
    std::string uid{};
    MonoTime until{};
  };
  std::vector<PassedOver> passed_over{};  ///< would not or could not go; not asked again before then
};

/// One reason to evict. The triggers differ in when they are in need, whom they may choose and in what order.
struct EvictionTrigger {
  std::string_view name;
  FeatureGate gate;
  Duration cool_down;  ///< after a victim is gone, before the next is chosen: the node's figures follow late
  /// Why somebody has to go now; absent: nobody has to, or it is not known. `draining`: it has begun, and
  /// goes on to the lower mark.
  std::optional<Reason> (*need)(const NodeSnapshot&, const ThresholdStrategy&, bool draining);
  bool (*may_choose)(const NodeSnapshot&, const PodSample&);
  /// Whether `a` goes before `b`.
  bool (*before)(const NodeSnapshot&, const PodSample& a, const PodSample& b);
};

/// THE list of triggers, in the order in which they are asked.
std::span<const EvictionTrigger* const> eviction_triggers();

/// The next victim. Remembers it as pending: the next one is chosen when its cgroup is gone and that did not
/// suffice, or when it has not gone after its patience is over (then it is passed over).
std::optional<Eviction> decide_eviction(const NodeSnapshot& node, const NodeSlo& slo, EvictionState& state);
/// The API refused (a disruption budget, for example): not this one before `until`.
void pass_over(EvictionState& state, const std::string& uid, MonoTime until);

}  // namespace evenkeel
