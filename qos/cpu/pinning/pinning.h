// Policy "cpusets": containers run on the CPUs that Koordinator's scheduler has given their pod (annotation
// scheduling.koordinator.sh/resource-status); services without CPUs of their own share the rest, so that
// nobody runs on CPUs that were promised to another one. Best effort is the business of suppression.
// Where the kubelet's own CPU manager pins (policy static) it writes every set itself, every ten seconds:
// there this policy stands back.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::pinning {

using CpusetsPolicy = decide::Policy<decide::NoState>;
extern const CpusetsPolicy cpusets_policy;

}  // namespace evenkeel::pinning
