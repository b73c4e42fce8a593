// How much of the node, and of each of its NUMA nodes, can be lent to batch and mid pods.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"
#include "qos/model/pod_resources.h"
#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::lending {

// Computes how much of the node can be lent to batch and mid pods (batch-cpu, batch-memory, mid-cpu,
// mid-memory), with every term of the sum. Koordinator's arithmetic, except that an unknown measurement is
// never zero (an unknown prediction lends nothing). Pure. Does not know how it is advertised (advertised.h
// does).

enum class LentResource : std::uint8_t { batch_cpu, batch_memory, mid_cpu, mid_memory };
inline constexpr std::size_t kLentCount = 4;
/// In the order of the enum; on the Node with "kubernetes.io/" in front.
inline constexpr std::array<const char*, kLentCount> kLentNames = {"batch-cpu", "batch-memory", "mid-cpu",
                                                                   "mid-memory"};

/// One line of the sum, for `evenkeel explain` and /v1/explain: "kubelet reserved", "node object", 10000, 20
/// GB. A resource that the line does not concern, or that is unknown, is absent.
struct LendTerm {
  std::string name{};
  std::string source{};
  std::optional<MilliCpu> cpu{};
  std::optional<Bytes> memory{};
};

struct Lendable {
  std::optional<MilliCpu> batch_cpu{}, mid_cpu{};
  std::optional<Bytes> batch_memory{}, mid_memory{};
  std::vector<LendTerm> terms{};
  std::array<std::string, kLentCount> lacks{};  ///< why it is absent: "the system's use is unknown"
  std::string unknown_reason{};                 ///< all of these in one sentence; empty: nothing is absent
};

/// In standard CPUs, as the Node advertises it: by the Node's CPU normalization ratio.
std::optional<MilliCpu> normalized(std::optional<MilliCpu> batch_cpu, const NodeObject& object);

/// Whether these pods come from a list. All of them known from their cgroups alone, nothing is known of what
/// they request, and a sum of it would be 0.
bool names_pods(const std::vector<Pod>& pods);

struct LendInput {
  const NodeObject& object;
  const NodeSample& node;  ///< capacity if the Node object gives none; reserved huge pages
  const std::vector<Pod>& pods;
  const RecentUsage& usage;
  const ColocationStrategy& strategy;
  std::optional<Usage>
      prod_reclaimable{};  ///< the peak predictor's; absent: unknown (counts as nothing to lend)
  bool pods_known = true;  ///< the pod source has delivered at least once
};
Lendable lendable(const LendInput& input);

// Computes how much of each NUMA node can be lent to batch pods: the same sum per zone, with the system's
// part spread over all zones and each pod's over the zones assigned to it. Pure.

/// Capacity of a NUMA node (of memory without huge pages); zone i of the list is NUMA node i.
struct Zone {
  std::optional<MilliCpu> cpu{};
  std::optional<Bytes> memory{};
};

struct ZoneLendable {
  std::optional<MilliCpu> batch_cpu{};  ///< normalized()
  std::optional<Bytes> batch_memory{};
};

struct ZoneLendables {
  std::vector<ZoneLendable> zones{};  ///< one for each requested zone; empty: see below
  std::string unknown_reason{};
};

/// All zones or none: when one of them does not report both amounts, what the others can lend is unknown,
/// too.
ZoneLendables lendable_zones(const LendInput& input, const std::vector<Zone>& zones);

}  // namespace evenkeel::lending
