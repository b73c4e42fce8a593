// Runs a single policy on a full policy state, for the tests of that policy.
#pragma once

#include <type_traits>

#include "qos/registry.h"

namespace evenkeel::test {

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
