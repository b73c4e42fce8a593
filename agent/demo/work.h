// The demo's computing work for requests and hogs, and its clock. Does not touch memory or files.
#pragma once

#include <cstdint>

#include "qos/model/units.h"

namespace evenkeel::demo {

/// CLOCK_MONOTONIC, and waiting for a time on it.
Duration monotonic();
void wait_until(Duration moment);

/// A fixed amount of computing; the result keeps the compiler from dropping it.
std::uint64_t churn(std::uint64_t iterations, std::uint64_t seed);
/// The number of iterations that take `cost` of undisturbed CPU time on this machine.
std::uint64_t calibrated_iterations(Duration cost);

}  // namespace evenkeel::demo
