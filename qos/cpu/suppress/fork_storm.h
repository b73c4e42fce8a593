// Whether best effort starts so many processes that services have to wait for it, and what is left to them
// then.
#pragma once

#include "qos/cpu/suppress/suppress.h"
#include "qos/model/snapshot.h"

namespace evenkeel::suppress {

/// Judges the last ten seconds. A storm begins when best effort spends 30 % of its CPU time in the kernel,
/// the node starts 500 tasks for each second of that CPU time, and best effort uses 70 % of what its CPUs
/// have for it, so that a service finds none of them idle. It ends below 15 %, 250 tasks or 50 %. As long as
/// one of them cannot be read nothing changes.
void watch_forks(const NodeSnapshot& node, ForkStorm& storm);

/// In place of the threshold's target, that which leaves services and the system a quarter more CPU than they
/// use, and at least one CPU more.
void leave_cpus_to_services(const ForkStorm& storm, SuppressTarget& target);

}  // namespace evenkeel::suppress
