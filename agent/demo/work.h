// What requests and hogs spend CPU time on, and the demo's clocks. May not: touch memory or files.
#pragma once

#include <cstdint>

#include "qos/model/units.h"

namespace evenkeel::demo {

/// CLOCK_MONOTONIC, and how to wait for a moment of it.
Duration monotonic();
void wait_until(Duration moment);

/// A fixed amount of computing; the result keeps the compiler from dropping it.
std::uint64_t churn(std::uint64_t iterations, std::uint64_t seed);
/// How many iterations take `cost` of undisturbed CPU time here.
std::uint64_t calibrated_iterations(Duration cost);

}  // namespace evenkeel::demo
