// A hash of a network plan, to detect whether it equals the last one. Does not keep the plan, whose pointers
// are valid for one tick only.
#pragma once

#include <cstdint>

#include "qos/decide/io_plan.h"

namespace evenkeel::network {

/// Covers everything relevant in the plan; never 0.
std::uint64_t sum_of(const decide::NetworkPlan& plan);

}  // namespace evenkeel::network
