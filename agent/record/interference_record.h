// Records and describes what interference detection found. Does not judge.
#pragma once

#include <span>
#include <string>

#include "agent/record/recorder.h"
#include "qos/interference/state.h"

namespace evenkeel::record {

/// "cpu", "cache", "memory", "io": what victim and antagonist contend for.
const char* resource_of(Signal signal);
/// "cpu", "cache", "memory": what is taken from an antagonist.
const char* name(interference::Remedy remedy);
/// What it is limited to: "0.25 CPUs".
std::string limit_text(const interference::Limit& limit);
/// The evidence with its numbers.
std::string sentence_of(const interference::Accusation& accusation);

/// Accusations are recorded when they are made and when they end, limits at each step. The owner of the
/// antagonist gets an event about a limit; the victim's owner does not, since it could do nothing.
void record_interference(std::span<const interference::InterferenceEvent> events, Recorder& recorder,
                         MonoTime now);

}  // namespace evenkeel::record
