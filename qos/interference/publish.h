// What interference tells other policies (qos/decide/shared.h), out of its state.
#pragma once

#include "qos/decide/shared.h"
#include "qos/interference/state.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::interference {

void publish(const InterferenceState& state, decide::WatchedCgroups& watched);
void publish(const InterferenceState& state, decide::CacheLimits& cache);
void publish(const InterferenceState& state, decide::MemoryLimits& memory);
void publish(const InterferenceState& state, const InterferenceSettings& settings,
             decide::RepeatAntagonists& repeat);

}  // namespace evenkeel::interference
