// Looking at what policies wish for, and doing it as a kernel would.
#pragma once

#include "qos/decide/intent.h"
#include "qos/model/snapshot.h"

namespace evenkeel::test {

/// The last wish that is not a hold for a lever, or null.
const decide::Intent* wish(const decide::Intents& intents, CgroupId target, Knob knob);
/// Its number, or -1 when there is none or it is no number.
std::int64_t wished(const decide::Intents& intents, CgroupId target, Knob knob);
bool held(const decide::Intents& intents, CgroupId target, Knob knob);

/// Does what a kernel would: the wishes become what is applied.
void obey(NodeSnapshot& node, const decide::Intents& intents);

}  // namespace evenkeel::test
