// Which CPUs the Node object reserves, also where it gives only an amount: then those that the kubelet's
// static CPU manager policy would take, as Koordinator's agent does.
#pragma once

#include <cstddef>
#include <optional>

#include "qos/model/pod.h"
#include "qos/model/snapshot.h"
#include "qos/model/topology.h"

namespace evenkeel::pinning {

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

}  // namespace evenkeel::pinning
