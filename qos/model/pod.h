// What a pod's owner configures: the part of a v1 Pod that policies use, as plain values. Does not hold
// measurements (snapshot.h does) or parse text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "qos/model/io_limits.h"
#include "qos/model/topology.h"
#include "qos/model/units.h"

namespace evenkeel {

enum class KubeQos : std::uint8_t { guaranteed, burstable, besteffort };
/// Koordinator's QoS class (label koordinator.sh/qosClass).
enum class QosClass : std::uint8_t { lse, lsr, ls, be, system };
/// Koordinator's priority class; `none` when neither label nor number names one.
enum class PriorityClass : std::uint8_t { none, prod, mid, batch, free };
enum class PodPhase : std::uint8_t { pending, running, succeeded, failed, unknown };

/// One resource list (requests or limits). Absent is "not given", which for a limit means unlimited.
struct Resources {
  std::optional<MilliCpu> cpu{};
  std::optional<Bytes> memory{};
  std::optional<MilliCpu> batch_cpu{};
  std::optional<Bytes> batch_memory{};
  std::optional<MilliCpu> mid_cpu{};
  std::optional<Bytes> mid_memory{};
  bool operator==(const Resources&) const = default;
};

struct Container {
  std::string name{};
  std::string id{};  ///< the container runtime's name for it, without "containerd://"; empty until it has one
  std::string image{};
  bool running = false;
  bool sidecar = false;  ///< a restartable init container: its requests count like a regular one's
  Resources requests{};
  Resources limits{};  ///< what the kubelet has carried out, during a resize in place
  std::optional<MilliCpu> pending_cpu_limit{};  ///< of the spec, which the kubelet has not carried out (yet)
  std::optional<int> oom_score_adj{};           ///< koordinator.sh/oom-score-adj and its spec, -1000 to 1000
  bool operator==(const Container&) const = default;
};

/// koordinator.sh/cpuBurst: fields that replace those of the node's cpuBurstStrategy.
struct CpuBurstOverride {
  std::optional<std::string> policy{};
  std::optional<Percent> cpu_burst_percent{};
  std::optional<Percent> cfs_quota_burst_percent{};
  std::optional<std::int64_t> cfs_quota_burst_period_seconds{};
  bool operator==(const CpuBurstOverride&) const = default;
};

/// koordinator.sh/memoryQOS: fields that replace those of the class's memoryQOS.
struct MemoryQosOverride {
  enum class Policy : std::uint8_t {
    of_class,   ///< not set, or "default"
    none,       ///< neither the class nor the fields count
    automatic,  ///< Koordinator's built-in values in place of the class's
  };
  Policy policy = Policy::of_class;
  std::optional<Percent> min_limit_percent{}, low_limit_percent{}, throttling_percent{};
  std::optional<std::int64_t> oom_kill_group{};
  std::optional<Percent> wmark_ratio{};
  std::optional<std::int64_t> wmark_scale_permill{}, wmark_min_adj{};
  std::optional<std::int64_t> priority_enable{}, priority{};
  std::optional<bool> page_cache_enable{}, page_cache_reclaim_sync{};
  std::optional<Percent> page_cache_limit_percent{};
  std::optional<Bytes> page_cache_limit_size{};
  bool operator==(const MemoryQosOverride&) const = default;
};

/// A gang: pods that are useful only together, as a batch scheduler sees them. Only this node's members are
/// known.
struct Gang {
  std::string name{};                           ///< "namespace/name"; empty: the pod is in none
  std::optional<std::int64_t> min_available{};  ///< fewer are useless; absent: not given, all are needed
  std::optional<std::int64_t> total{};          ///< absent: as many as are needed
  bool operator==(const Gang&) const = default;
};

/// What decides whether a pod may be evicted, and in which order.
struct EvictionTerms {
  /// koordinator.sh/eviction-policy: the triggers that may choose this pod, one bit each in the order of
  /// kFeatureGates.
  std::uint8_t by = 0xff;
  bool enabled = false;       ///< koordinator.sh/eviction-enabled: "true"; triggers by priority require it
  std::int32_t priority = 0;  ///< koordinator.sh/eviction-priority: lower is evicted first
  std::optional<std::int64_t> sub_priority{};  ///< koordinator.sh/priority; absent: the pod's priority
  std::string owner_uid{};                     ///< of the controller; empty: none
  bool daemon = false;              ///< of a DaemonSet: a new one would be put on this node at once
  std::optional<Duration> grace{};  ///< from SIGTERM to SIGKILL; absent: not given (30 s)
  Gang gang{};
  bool operator==(const EvictionTerms&) const = default;
};

/// One entry of node.koordinator.sh/resctrl: a part of the last-level cache, of the memory bandwidth, or of
/// both.
struct ResctrlPart {
  std::optional<std::int32_t> cache{};    ///< of this one, by the kernel's number; absent: of every one
  std::optional<Percent> start{}, end{};  ///< of the ways; both or none
  std::optional<Percent> bandwidth{};
  bool operator==(const ResctrlPart&) const = default;
};

/// One entry of spec.volumes.
struct PodVolume {
  std::string name{};
  bool is_claim = false;  ///< its directory has the name of the claim's volume
  bool operator==(const PodVolume&) const = default;
};

/// Labels or annotations. Lookups create no string: policies look up in every tick.
using TextMap = std::map<std::string, std::string, std::less<>>;

struct Pod {
  std::string uid{};  ///< as the cgroup directory spells it, always with '-' for '_'
  std::string namespace_{};
  std::string name{};
  /// The top-level owner of such pods: a Deployment, not its current ReplicaSet. Empty: none, or not known.
  std::string owner{};
  KubeQos kube_qos = KubeQos::besteffort;
  std::optional<QosClass> label_qos{};  ///< "raw" QoS: absent without the label or with an unknown word
  PriorityClass priority_class = PriorityClass::none;  ///< "raw": from the label, else from the number
  std::optional<std::int32_t> priority{};
  PodPhase phase = PodPhase::unknown;
  std::optional<std::int64_t> created_unix_seconds{};  ///< static pods: start time
  bool terminating = false;
  bool hands_off = false;  ///< annotation evenkeel.io/hands-off: "true"
  bool is_static = false;  ///< from the kubelet's own files: the API cannot delete it
  EvictionTerms eviction{};
  bool from_cgroup_only = false;  ///< found by walking kubepods: spec unknown, name and namespace empty
  bool unlisted = false;  ///< not in the newest list, but its directory exists: spec as in an earlier list
  std::vector<Container> containers{};
  /// spec.resources (pod-level resources, Kubernetes 1.32): CPU and memory of the pod as a whole. What is
  /// given here counts in place of the containers' sum; the limits are what the kubelet has carried out.
  Resources pod_level_requests{}, pod_level_limits{};
  /// The limit that the spec asks for, while it may not be in force; then the one above may be burst's.
  std::optional<MilliCpu> pending_pod_level_cpu{};
  Resources init_peak{};  ///< the most that the init containers request at once, sidecars included
  Resources overhead{};   ///< of the runtime class
  std::optional<CpuSet> allocated_cpus{};  ///< scheduling.koordinator.sh/resource-status .cpuset
  std::vector<int> numa_nodes{};           ///< .numaNodeResources of the same; empty: not bound to any
  std::vector<int> cpu_numa_nodes{};       ///< those that its CPU comes from: it runs there
  CpuBurstOverride cpu_burst{};
  MemoryQosOverride memory_qos{};
  std::vector<ResctrlPart> resctrl{};  ///< not empty: the pod has a group of its own
  std::vector<Block> blocks{};         ///< its limits on disks; not empty: `volumes` are known
  std::vector<PodVolume> volumes{};
  PodNetwork network{};
  std::optional<std::int64_t> group_identity{};  ///< koordinator.sh/cpuQOS: replaces that of its class, LS
  TextMap labels{};
  TextMap annotations{};
  bool operator==(const Pod&) const = default;
};

/// What another scheduler (Hadoop YARN) has taken of the node's batch resources.
struct ThirdPartyAllocation {
  std::string name{};
  PriorityClass priority_class = PriorityClass::none;
  Resources resources{};
  bool operator==(const ThirdPartyAllocation&) const = default;
};

/// What the Node object contains; every part may be absent (then the kernel's view counts).
struct NodeObject {
  std::string name{};
  std::optional<MilliCpu> cpu_capacity{};
  std::optional<MilliCpu> cpu_allocatable{};
  std::optional<Bytes> memory_capacity{};
  std::optional<Bytes> memory_allocatable{};
  /// node.koordinator.sh/raw-allocatable: what was allocatable before it was amplified.
  std::optional<MilliCpu> cpu_raw_allocatable{};
  std::optional<Bytes> memory_raw_allocatable{};
  Resources lent{};  ///< status.allocatable of batch and mid resources; zero is a figure, absent is unknown
  std::optional<double> cpu_normalization_ratio{};  ///< above 0, at most 100; has an effect only above 1
  std::vector<ThirdPartyAllocation> third_parties{};
  std::string third_parties_unknown{};  ///< not empty: third parties have taken an unknown amount, and why it
                                        ///< is not known
  std::optional<MilliCpu>
      reserved_cpu{};  ///< node.koordinator.sh/reservation .resources.cpu (or the size of reservedCPUs)
  std::optional<Bytes> reserved_memory{};
  std::optional<CpuSet> reserved_cpus{};       ///< .reservedCPUs of the same annotation
  std::optional<CpuSet> system_qos_cpus{};     ///< node.koordinator.sh/system-qos-resource .cpuset
  bool system_qos_cpus_shared = false;         ///< .cpusetExclusive is false: other pods may run there, too
  std::optional<BitRate> network_bandwidth{};  ///< node.koordinator.sh/network-bandwidth
  /// kubelet.koordinator.sh/cpu-manager-policy, or the kubelet's own checkpoint, says "static".
  bool kubelet_static_cpu_manager = false;
  CpuSet kubelet_pinned_cpus{};  ///< CPUs that it has assigned to containers exclusively
  TextMap labels{};
  TextMap annotations{};
  bool operator==(const NodeObject&) const = default;
};

/// Raw QoS, else by Kubernetes QoS: Guaranteed -> LSR, Burstable -> LS, BestEffort -> BE.
constexpr QosClass default_qos(const Pod& pod) {
  if (pod.label_qos) return *pod.label_qos;
  switch (pod.kube_qos) {
    case KubeQos::guaranteed:
      return QosClass::lsr;
    case KubeQos::burstable:
      return QosClass::ls;
    case KubeQos::besteffort:
      return QosClass::be;
  }
  return QosClass::be;
}

/// Raw priority class, else by QoS class: SYSTEM, LSE, LSR and LS -> prod, BE -> batch.
constexpr PriorityClass default_priority_class(const Pod& pod) {
  if (pod.priority_class != PriorityClass::none) return pod.priority_class;
  return default_qos(pod) == QosClass::be ? PriorityClass::batch : PriorityClass::prod;
}

/// spec.priority, unless it is absent or 0: then the usual one of the class.
constexpr std::int32_t priority_value(const Pod& pod) {
  if (pod.priority && *pod.priority != 0) return *pod.priority;
  switch (default_priority_class(pod)) {
    case PriorityClass::prod:
      return 9500;
    case PriorityClass::mid:
      return 7500;
    case PriorityClass::batch:
      return 5500;
    case PriorityClass::free:
      return 3500;
    case PriorityClass::none:
      break;
  }
  return 0;
}

/// Best effort: labelled BE, or in the kubelet's BestEffort branch whatever the label says.
constexpr bool is_best_effort(const Pod& pod) {
  return pod.label_qos == QosClass::be || pod.kube_qos == KubeQos::besteffort;
}

/// All containers have ended for good: no process comes any more. An unknown phase does not say so.
constexpr bool has_ended(PodPhase phase) { return phase == PodPhase::succeeded || phase == PodPhase::failed; }

/// In a phase that may own processes.
constexpr bool is_active(const Pod& pod) {
  return pod.phase == PodPhase::pending || pod.phase == PodPhase::running;
}

}  // namespace evenkeel
