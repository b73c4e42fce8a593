// How much CPU quota all containers together may gain in one tick, so that a node full of throttled services
// does not take all its idle CPU in one second and lose it in the next.
#pragma once

#include <span>

#include "qos/cpu/burst/burst.h"

namespace evenkeel::burst {

/// Lowers the targets of growing candidates until the growth fits into `budget`: everybody gets what he asks
/// for up to the same level. Thousandths that cannot be divided go round by `turn`. A single container is no
/// stampede: the largest step that anybody asks for always fits.
void share_growth(std::span<CpuBurstState::Candidate> candidates, MilliCpu budget, std::size_t& turn);

}  // namespace evenkeel::burst
