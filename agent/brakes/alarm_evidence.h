// Measures what is only known at the moment of an alarm: how much CPU and memory best effort has used since
// the last tick, and how much of the victim's stall its own CPU quota explains. Does not judge.
#pragma once

#include "collectors/sampler.h"
#include "qos/model/alarm.h"
#include "qos/model/snapshot.h"

namespace evenkeel::brakes {

/// Completes the alarm of a PSI trigger by reading the cgroups concerned now.
void add_evidence(const NodeSnapshot& node, collectors::Sampler& sampler, Alarm& alarm);

}  // namespace evenkeel::brakes
