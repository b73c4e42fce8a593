// All policies, in order: their states, and one tick's decisions of all of them.
#pragma once

#include <array>
#include <tuple>

#include "qos/brake/brake.h"
#include "qos/cache/cache.h"
#include "qos/contention/contention.h"
#include "qos/cpu/burst/burst.h"
#include "qos/cpu/identity/policies.h"
#include "qos/cpu/pinning/pinning.h"
#include "qos/cpu/suppress/suppress.h"
#include "qos/interference/interference.h"
#include "qos/io/disk_suppress.h"
#include "qos/io/policies.h"
#include "qos/lending/batch_resources.h"
#include "qos/memory/policies.h"
#include "qos/objectives/objectives.h"
#include "qos/proof/proof.h"

namespace evenkeel::decide {

/// One entry per policy. The order is the rank for levers whose rule is Merge::first, and each policy must
/// come after those whose facts it reads: otherwise registry.cpp does not compile.
inline constexpr std::tuple kPolicies{&objectives::objectives_policy,
                                      &suppress::cpu_suppress_policy,
                                      &burst::cpu_burst_policy,
                                      &burst::cpu_normalization_policy,
                                      &identity::cpu_identity_policy,
                                      &memory::memory_qos_policy,
                                      &memory::memory_push_back_policy,
                                      &lending::batch_resources_policy,
                                      &pinning::cpusets_policy,
                                      &memory::system_settings_policy,
                                      &cache::resctrl_policy,
                                      &identity::core_sched_policy,
                                      &identity::request_size_policy,
                                      &memory::oom_score_policy,
                                      &io::blkio_policy,
                                      &io::disk_suppress_policy,
                                      &io::network_qos_policy,
                                      &interference::interference_policy,
                                      &brake::brake_policy,
                                      &proof::proof_policy,
                                      &contention::contention_policy};

template <class... Each>
std::tuple<typename Each::State...> states_of(const std::tuple<const Each*...>&);

/// The state of all policies between ticks; a value, so that a tick can be replayed.
struct PolicyState {
  decltype(states_of(kPolicies)) states{};  ///< of each policy its own
  memory::MemoryReclaimState memory_reclaim{};
  Shared shared{};

  /// The state of the policy that keeps one of this type.
  template <class State>
  [[nodiscard]] State& of() {
    return std::get<State>(states);
  }
  template <class State>
  [[nodiscard]] const State& of() const {
    return std::get<State>(states);
  }
};

/// What each of them publishes and reads, in the same order.
template <class... Each>
constexpr std::array<FactUse, sizeof...(Each)> fact_uses_of(const std::tuple<const Each*...>& /*all*/) {
  return {Each::Facts::kUse...};
}

/// One tick's decisions: every enabled policy in order.
void decide_all(const NodeSnapshot& node, const NodeSlo& slo, PolicyState& state, Intents& out);

}  // namespace evenkeel::decide
