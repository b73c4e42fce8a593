// Policy "core-sched": cpuQOS under the policy coreSched. Tasks of different groups never run at the same
// time on the threads of one core: each group has a cookie of its own
// (Documentation/admin-guide/hw-vuln/core-scheduling.rst). A class with coreExpeller is kept apart from those
// without; pods name a group (koordinator.sh/core-sched-group-id) or have one for themselves
// (core-sched-policy: exclusive). cpu.idle of schedIdle is set by qos/cpu/identity/identity.h. Does not know
// cookies.
#pragma once

#include <string>

#include "qos/decide/policy.h"

namespace evenkeel::identity {

struct CoreSchedState {
  std::string group_name{};  ///< buffer for a group's name, kept so that a tick allocates nothing
};

using CoreSchedPolicy = decide::Policy<CoreSchedState>;
extern const CoreSchedPolicy core_sched_policy;

}  // namespace evenkeel::identity
