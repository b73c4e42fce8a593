// Which CPUs are reserved, also where only their number is given: then those that the kubelet's static CPU
// manager policy takes, as Koordinator's agent reports them. Pure.
#pragma once

#include <cstddef>
#include <optional>

#include "agent/pods/kubelet_settings.h"
#include "qos/model/pod.h"
#include "qos/model/topology.h"

namespace evenkeel::reporting {

/// So many of all CPUs, as the policy takes them for a reservation (Kubernetes, pkg/kubelet/cm/cpumanager:
/// takeByTopologyNUMAPacked in cpu_assignment.go, where no CPU is taken yet): whole NUMA nodes and sockets,
/// then whole cores, then single CPUs, low numbers first. Absent: there are fewer.
std::optional<CpuSet> first_cpus(const CpuTopology& topology, std::size_t count);

/// Those of the kubelet's static policy. Absent: it has not said which or how many, or an option makes it
/// take others.
std::optional<CpuSet> kubelet_reserved(const pods::KubeletSettings& settings, const CpuTopology& topology);

/// Those of the Node's annotation node.koordinator.sh/reservation. Absent: none.
std::optional<CpuSet> node_reserved(const NodeObject& object, const CpuTopology& topology);

}  // namespace evenkeel::reporting
