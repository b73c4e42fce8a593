// Policy "network-qos": networkQOS under the policy tc. Classes are guaranteed their request and may take up
// to their limit of the node's bandwidth; unused bandwidth goes to system services first, then to LSR, LS and
// best effort. Incoming traffic can only be limited. A class that is not enabled has neither. Does not know
// queues.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::io {

/// Whether network bandwidth is shared at all.
bool shares_network(const NodeSlo& slo);

using NetworkPolicy = decide::Policy<decide::NoState>;
extern const NetworkPolicy network_qos_policy;

}  // namespace evenkeel::io
