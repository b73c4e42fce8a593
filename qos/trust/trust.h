// What a pod's labels and annotations may demand. Without the operator's trust a pod can only give up what is
// its own: whoever may create a pod could otherwise take CPUs, cache or disk time from all others, or keep
// batch work out of the node's rules. Does not tell anybody (agent/inputs does).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"

namespace evenkeel::trust {

/// Whether restrict() would change the pod.
bool is_restricted(const Pod& pod, const NodeSlo& slo);

/// Takes from the pod what its owner is not trusted with: the node's settings, or those of its class, apply
/// in its place. Appends a sentence for each claim that was taken away; the group of core scheduling is
/// renamed without one, since it stays the pod's own.
void restrict(Pod& pod, const NodeSlo& slo, std::vector<std::string>& refused);

/// The pods, by their places in the list, that name CPUs of others: the scheduler gives a CPU to one pod, so
/// of two that name it the older one has it. A pod whose claim is trusted has what it names.
std::vector<std::size_t> pods_on_others_cpus(const std::vector<Pod>& pods, const NodeSlo& slo);

/// Takes its CPUs from such a pod, and appends the sentence for its owner.
void return_others_cpus(Pod& pod, std::vector<std::string>& refused);

}  // namespace evenkeel::trust
