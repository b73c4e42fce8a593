#include "qos/cpu/pinning/cpu_claims.h"

namespace evenkeel::pinning {

std::optional<CpuSet> cpus_in_force(const CgroupSample* sample) {
  if (!sample) return std::nullopt;
  const Applied& applied = sample->applied;
  if (applied.cpus_effective && !applied.cpus_effective->empty()) return applied.cpus_effective;
  if (applied.cpus && !applied.cpus->empty()) return applied.cpus;
  return std::nullopt;
}

CpuClaims cpu_claims(const NodeSnapshot& node) {
  const CpuSet nobody;
  CpuClaims out;
  out.legal = node.topology.online & cpus_in_force(node.cgroup(node.kubepods)).value_or(node.topology.online);
  out.legal =
      out.legal - node.object.reserved_cpus.value_or(nobody) - node.object.system_qos_cpus.value_or(nobody);
  for (const PodSample& pod : node.pods) {
    const bool ended = pod.spec->phase == PodPhase::succeeded || pod.spec->phase == PodPhase::failed;
    if (!pod.spec->allocated_cpus || ended) continue;
    const CpuSet& claimed = *pod.spec->allocated_cpus;
    const bool lse = pod.spec->label_qos == QosClass::lse, lsr = pod.spec->label_qos == QosClass::lsr;
    if (!lse && !lsr) continue;
    out.exclusive = lse ? out.exclusive | claimed : out.exclusive - claimed;
    out.pinned = lsr ? out.pinned | claimed : out.pinned - claimed;
  }
  out.exclusive = out.exclusive | node.object.kubelet_pinned_cpus;
  out.pinned = (out.pinned & out.legal) - node.object.kubelet_pinned_cpus;
  return out;
}

}  // namespace evenkeel::pinning
