// Finds the intents of policies, and applies them as a kernel would.
#pragma once

#include "qos/decide/intent.h"
#include "qos/model/snapshot.h"

namespace evenkeel::test {

/// The last intent for a knob that is not a hold, or null.
const decide::Intent* intent(const decide::Intents& intents, CgroupId target, Knob knob);
/// Its number, or -1 if there is none or it is not a number.
std::int64_t intended(const decide::Intents& intents, CgroupId target, Knob knob);
bool held(const decide::Intents& intents, CgroupId target, Knob knob);

/// Applies the intents to the node's settings, as a kernel would.
void obey(NodeSnapshot& node, const decide::Intents& intents);

}  // namespace evenkeel::test
