// What the hands count, as one number: the executor's values of cgroups, resctrl's groups, and lines of the
// cost model.
// May not: count anything itself.
#pragma once

#include <optional>

#include "agent/core/agent.h"

namespace evenkeel {

template <auto Values, auto Groups, auto Lines>
std::optional<double> of_all_hands(const Agent& a) {
  return static_cast<double>(a.executor_counters().*Values + a.resctrl_counters().*Groups +
                             a.cost_counters().*Lines);
}
template <auto Values, auto Lines>
std::optional<double> of_all_hands(const Agent& a) {
  return static_cast<double>(a.executor_counters().*Values + a.cost_counters().*Lines);
}

}  // namespace evenkeel
