// Policy "resctrl": ways of the last-level cache and memory bandwidth for the tasks of a class, or of one pod
// that asks for its own (annotation node.koordinator.sh/resctrl).
//
// Other than Koordinator's: a class that is not enabled has no group, and its tasks stay where they are; a
// range is never empty; caches are called by the kernel's own numbers; CAT and MBA work without one another;
// what the hardware has too few classes of service for shares one instead of failing.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::cache {

extern const decide::PolicySpec resctrl_policy;

}  // namespace evenkeel::cache
