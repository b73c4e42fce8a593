// Which pods may burst, and with which settings.
#include "qos/cpu/burst/burst.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::burst {

CpuBurstStrategy burst_strategy(const CpuBurstStrategy& node, const CpuBurstOverride& pod) {
  CpuBurstStrategy merged = node;
  if (pod.policy) {
    merged.policy = BurstPolicy::none;
    if (*pod.policy == "auto") merged.policy = BurstPolicy::automatic;
    if (*pod.policy == "cpuBurstOnly") merged.policy = BurstPolicy::cpu_burst_only;
    if (*pod.policy == "cfsQuotaBurstOnly") merged.policy = BurstPolicy::cfs_quota_burst_only;
  }
  merged.cpu_burst_percent = pod.cpu_burst_percent.value_or(node.cpu_burst_percent);
  merged.cfs_quota_burst_percent = pod.cfs_quota_burst_percent.value_or(node.cfs_quota_burst_percent);
  merged.cfs_quota_burst_period_seconds =
      pod.cfs_quota_burst_period_seconds.value_or(node.cfs_quota_burst_period_seconds);
  return merged;
}

bool owns_cpus(const Pod& pod) {
  return pod.label_qos == QosClass::lse || pod.label_qos == QosClass::lsr || has_own_cpus(pod);
}

bool skipped_by_burst(const Pod& pod) {
  // Pods in the kubelet's BestEffort branch have no limits by definition; suppression alone limits them.
  const bool over = !pod.from_cgroup_only && !is_active(pod);
  return owns_cpus(pod) || is_best_effort(pod) || over || pod.hands_off;
}

}  // namespace evenkeel::burst
