// Policy "network-qos": networkQOS under the policy tc. Classes are guaranteed their request and may take up
// to their limit of the node's bandwidth; what nobody uses goes to system services first, then to LSR, LS and
// best effort. What comes in can only be limited. A class that is not enabled has neither. May not: know
// queues.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::io {

/// Whether the network is to be shared at all.
bool shares_network(const NodeSlo& slo);

using NetworkPolicy = decide::Policy<decide::NoState>;
extern const NetworkPolicy network_qos_policy;

}  // namespace evenkeel::io
