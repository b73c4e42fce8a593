// Renders CPUs, their pools and the NUMA nodes as Koordinator's NodeResourceTopology
// (topology.node.k8s.io/v1alpha1), by which its scheduler assigns CPUs. Pure: does not measure or send it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/pods/cpu_manager.h"
#include "agent/pods/kubelet_settings.h"
#include "collectors/node/numa_memory.h"
#include "qos/lending/lendable.h"
#include "qos/model/pod.h"
#include "qos/model/topology.h"

namespace evenkeel::reporting {

struct NodeTopologyInput {
  const CpuTopology& cpus;
  const NodeObject& object;
  const std::vector<Pod>& pods;
  const pods::KubeletCpus& kubelet;
  const std::vector<node::NumaMemory>& memory;  ///< one per NUMA node, by its number: these are the zones
  /// What each zone can lend; absent: the amounts that the object has stay. An unknown amount is taken out.
  const std::optional<lending::ZoneLendables>& lendable;
  const pods::KubeletSettings* settings = nullptr;  ///< null: the kubelet has not said them
  std::uint64_t l3_ways = 0;                        ///< resctrl's mask of all; 0: there is none
};

struct NodeTopology {
  struct Zone {
    std::string cpu{}, memory{}, pages_of_1gib{}, pages_of_2mib{};  ///< quantities: CPUs, bytes
    std::optional<std::int64_t> batch_cpu{}, batch_memory{};
  };
  /// By their names; absent: it does not apply, or is not known, and is taken off.
  std::map<std::string, std::optional<std::string>> annotations{};
  std::vector<Zone> zones{};
  std::string policy{};     ///< of the kubelet's topology manager; empty: not known
  bool owns_batch = false;  ///< see NodeTopologyInput::lendable
};
/// Absent: no CPU is known, or one is in none of the zones.
std::optional<NodeTopology> node_topology(const NodeTopologyInput& input);

/// The whole object, for a node that has none. It goes when the Node goes.
std::string topology_object(const NodeTopology& topology, const std::string& node,
                            const std::string& node_uid);

/// A merge patch for the object that the server holds, of this version only: zones of others, and resources
/// of others in ours, stay. An amount to lend is left as it is unless it differs by more than the share
/// `steady`. Empty: nothing differs. Absent: `standing` is not a NodeResourceTopology.
std::optional<std::string> topology_patch(const NodeTopology& topology, std::string_view standing,
                                          double steady);

}  // namespace evenkeel::reporting
