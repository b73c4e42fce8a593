// What a node has, and what the kubelet may give to pods of it. The Node object and the kernel both say it;
// the object may be older than the machine (CPUs taken offline, a smaller virtual machine), or amplified by
// Koordinator, so that the smaller figure counts.
#pragma once

#include <optional>

#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"
#include "qos/model/snapshot.h"
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

}  // namespace evenkeel
