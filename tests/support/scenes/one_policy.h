// Runs a single policy on a full policy state, for the tests of that policy.
#pragma once

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "qos/registry.h"

namespace evenkeel::test {

/// The rank of the policy with this name.
inline decide::PolicyIndex rank_of(std::string_view policy) {
  const auto all = decide::policies();
  const auto found = std::ranges::find(all, policy, [](const auto* each) { return each->name; });
  return static_cast<decide::PolicyIndex>(found - all.begin());
}

template <class Policy>
void decide_one(const Policy& policy, const NodeSnapshot& node, const NodeSlo& slo,
                decide::PolicyState& state, decide::Intents& out) {
  typename Policy::Facts facts(state.shared);
  if constexpr (std::is_same_v<typename Policy::State, decide::NoState>) {
    decide::NoState none;
    policy.decide(node, slo, none, facts, out);
  } else {
    policy.decide(node, slo, state.of<typename Policy::State>(), facts, out);
  }
}

}  // namespace evenkeel::test
