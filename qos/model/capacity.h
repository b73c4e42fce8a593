// What a node has, and what the kubelet may give to pods of it. The Node object and the kernel both say it;
// the object may be older than the machine (CPUs taken offline, a smaller virtual machine), or amplified by
// Koordinator, so that the smaller figure counts.
#pragma once

#include <cstddef>
#include <optional>

#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"
#include "qos/model/snapshot.h"
#include "qos/model/topology.h"
#include "qos/model/units.h"

namespace evenkeel {

/// The smaller of the Node object's capacity and the online CPUs. Zero: neither is known.
MilliCpu cpu_capacity(const NodeObject& object, const NodeSample& node);
/// The smaller of the Node object's capacity and MemTotal (proc(5)), without the reserved huge pages, which
/// cannot be used as other memory. Absent: the size of their pools is unknown, or
/// the capacity.
std::optional<Bytes> memory_capacity(const NodeObject& object, const NodeSample& node);

/// The Node object's allocatable amount before amplification, at most the capacity. Absent: the object does
/// not say it.
std::optional<MilliCpu> cpu_allocatable(const NodeObject& object, const NodeSample& node);
std::optional<Bytes> memory_allocatable(const NodeObject& object, const NodeSample& node);

/// What the kubelet keeps from pods: the capacity that it reported less the allocatable amount. Zero where it
/// is unknown. Of memory it includes the reserved huge pages.
MilliCpu kubelet_reserved_cpu(const NodeObject& object, const NodeSample& node);
Bytes kubelet_reserved_memory(const NodeObject& object, const NodeSample& node);

/// Of the network, as configured. Absent: not set; Koordinator's manager writes 0 unless an operator sets it.
std::optional<BitRate> network_bandwidth(const SystemStrategy& strategy);

// Which CPUs the Node object reserves, also where it gives only an amount: then those that the kubelet's
// static CPU manager policy would take, as Koordinator's agent does.

/// So many of all CPUs, as the policy takes them for a reservation (Kubernetes, pkg/kubelet/cm/cpumanager:
/// takeByTopologyNUMAPacked in cpu_assignment.go, where no CPU is taken yet): whole NUMA nodes and sockets,
/// then whole cores, then single CPUs, low numbers first. Absent: there are fewer.
std::optional<CpuSet> first_cpus(const CpuTopology& topology, std::size_t count);

/// For this amount, rounded up to whole CPUs. Absent: no amount, or more than there is.
std::optional<CpuSet> first_cpus(const CpuTopology& topology, const std::optional<MilliCpu>& amount);

/// Those of the Node's annotation node.koordinator.sh/reservation. Absent: none.
std::optional<CpuSet> node_reserved(const NodeObject& object, const CpuTopology& topology);

/// Keeps NodeSnapshot::reserved_cpus up to date. A tick in which nothing about them has changed allocates
/// nothing.
class ReservedCpus {
 public:
  void update(NodeSnapshot& node);

 private:
  struct Inputs {
    std::optional<CpuSet> named{};
    std::optional<MilliCpu> amount{};
    CpuSet online{};
    bool operator==(const Inputs&) const = default;
  };
  Inputs inputs_{};  ///< of the last update()
};

}  // namespace evenkeel
