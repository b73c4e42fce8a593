// What pods request, and what they used lately.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "qos/model/pod.h"
#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel {

// Computes what a pod requests as a whole by the rule of Kubernetes, and whether its cgroup is still being
// set up.

// What a pod as a whole requests, by the rule of Kubernetes. Does not look at its use.

/// The API server's default for a container's resources: where only a limit is given, it is the request, too.
Resources completed_requests(const Resources& requests, const Resources& limits);

/// Sums and maxima of each resource; what neither gives stays absent. Sums are clamped.
void add(Resources& sum, const Resources& more);
void raise(Resources& most, const Resources& other);

/// The pod's own requests (pod-level resources), else the containers and sidecars together and at least the
/// peak of the init containers; plus the overhead. Absent is "not requested", unless the pod is known from
/// its cgroup only: then nothing is known.
Resources pod_requests(const Pod& pod);

/// The limit that the kubelet gives to a container: its own, else that of its pod (pod-level resources).
/// Absent: unlimited.
std::optional<MilliCpu> cpu_limit_of(const Pod& pod, const Container& container);
std::optional<Bytes> memory_limit_of(const Pod& pod, const Container& container);
/// The sum of the containers' limits, or the pod's own (pod-level resources). Absent: unlimited.
std::optional<MilliCpu> cpu_limit_of(const Pod& pod);

/// Whether the scheduler gave a service CPUs of its own: by its class (LSE, LSR), or because the Node has a
/// CPU bind policy, whatever the class.
bool has_own_cpus(const Pod& pod);

// Whether a cgroup may still be in setup. Its creator (kubelet, runtime, systemd) writes shares and limits
// right after creating the directory: a write of ours in between is lost or makes the creator's write fail.

/// v1 1024, v2 100: the kernel's initial values, which kubelets and runtimes always replace for a pod.
bool has_default_shares(const NodeSnapshot& node, const CgroupSample& cgroup);

/// The kubelet makes a pod's cgroup in several steps: shares, then quota, memory, number of processes, and on
/// cgroup v1 it reads the shares back. The runtime makes the first container's directory after that.
bool provisioning(const NodeSnapshot& node, const PodSample& pod);
/// A container or a service: set up when a tick has passed, because its use is known only then.
bool provisioning(const NodeSnapshot& node, const CgroupSample& cgroup);

// Recent use, averaged over the aggregation window: the input of the lendable sums. Absent is unknown, never
// zero. Does not hold history (agent/history does).

struct Usage {
  std::optional<MilliCpu> cpu{};
  /// By metricMemoryCollectPolicy; by default anonymous + unevictable, of the node MemTotal - MemAvailable
  /// (which counts reserved huge pages as used).
  std::optional<Bytes> memory{};
  bool operator==(const Usage&) const = default;
};

struct PodUsage {
  std::string uid{};
  /// default_priority_class() as last seen: a dangling pod has no spec any more.
  PriorityClass priority_class = PriorityClass::none;
  Usage usage{};
};

struct HostApplicationUsage {
  std::string name{};
  PriorityClass priority_class = PriorityClass::none;
  Usage usage{};
};

struct RecentUsage {
  Usage node{};
  Usage system{};  ///< node - pods - host applications, floor 0; absent when one of them is unknown
  /// Pods with at least one measurement in the window, whether or not they are still listed.
  std::vector<PodUsage> pods{};
  std::vector<HostApplicationUsage> host_applications{};
  std::optional<MonoTime> newest{};  ///< of the node's newest measurement; the degrade time counts from it
};

}  // namespace evenkeel
