// What the detection of interference found, in words.
#pragma once

#include <string>

#include "qos/interference/state.h"

namespace evenkeel::tick {

/// "cpu", "cache", "memory", "io": what victim and antagonist contend for.
const char* resource_of(Signal signal);
/// "cpu", "cache", "memory": what is taken from an antagonist.
const char* name(interference::Remedy remedy);
/// What it is limited to: "0.25 CPUs".
std::string limit_text(const interference::Limit& limit);
/// The evidence with its numbers.
std::string sentence_of(const interference::Accusation& accusation);

}  // namespace evenkeel::tick
