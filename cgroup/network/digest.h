// Whether a plan for the network says what the last one said. May not: keep it, pointers in it live for one
// tick only.
#pragma once

#include <cstdint>

#include "qos/decide/network_plan.h"

namespace evenkeel::network {

/// Of everything that matters in the plan; never 0.
std::uint64_t sum_of(const decide::NetworkPlan& plan);

}  // namespace evenkeel::network
