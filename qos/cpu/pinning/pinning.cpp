#include "qos/cpu/pinning/pinning.h"

#include <algorithm>

#include "qos/model/pod_resources.h"

namespace evenkeel::pinning {
namespace {

/// The pods that share unclaimed CPUs: services, and those of unknown class.
bool shares(const Pod& pod) {
  if (is_best_effort(pod)) return false;
  return pod.label_qos != QosClass::system;
}

class Round {
 public:
  Round(const NodeSnapshot& node, decide::Intents& out)
      : node_(node), out_(out), claims_(cpu_claims(node)), shared_(claims_.shared()) {}

  void decide() {
    // If no pod has claimed a CPU, no pod needs to be kept away.
    const bool all_shared = shared_.empty() || node_.topology.online.subset_of(shared_);
    for (const auto& pod : node_.pods) {
      if (!is_active(*pod.spec) || pod.spec->from_cgroup_only) continue;
      if (has_own_cpus(*pod.spec))
        own(pod, all_shared);
      else if (is_confined_to_system(*pod.spec))
        confine(pod, *node_.object.system_qos_cpus, because("the CPUs that are reserved for the system"));
      else if (shares(*pod.spec))
        share(pod, all_shared);
      else if (is_best_effort(*pod.spec) && !node_.is_within(pod.cgroup, node_.besteffort))
        keep_off(pod);
    }
    keep_off_best_effort();
    if (all_shared) return;
    for (const auto& app : node_.host_applications)
      if (const auto* cgroup = node_.cgroup(app.cgroup); cgroup && app.spec->qos == QosClass::ls)
        place(*cgroup, shared_, kShared);
  }

 private:
  [[nodiscard]] bool is_confined_to_system(const Pod& pod) const {
    return pod.label_qos == QosClass::system && node_.object.system_qos_cpus && is_active(pod) &&
           !pod.from_cgroup_only;
  }

  /// The scheduler gives no pod a CPU that is reserved. A pod that names such CPUs alone has none of its own.
  void own(const PodSample& pod, bool all_shared) {
    const CpuSet named = *pod.spec->allocated_cpus & node_.topology.online;
    if (named.empty()) return;
    const CpuSet cpus = named & claims_.legal;
    if (cpus.empty()) return share(pod, all_shared);
    confine(pod, cpus, because("the CPUs that the scheduler gave its pod"));
    // Whole CPUs are limit enough; a quota on top would throttle a pod that uses all of them.
    lift_quota(node_.cgroup(pod.cgroup));
    for (const auto& container : node_.containers_of(pod)) lift_quota(node_.cgroup(container.cgroup));
  }

  void lift_quota(const CgroupSample* cgroup) {
    if (cgroup != nullptr && cgroup->applied.cpu_limit)
      out_.want(cgroup->id, Knob::cpu_quota, Unlimited{},
                because("its pod has CPUs of its own; a quota as well would only throttle it"));
  }

  /// The scheduler binds a pod to NUMA nodes whether or not another pod owns CPUs.
  void share(const PodSample& pod, bool all_shared) {
    const CpuSet near = shared_near(*pod.spec);
    if (!near.empty() && !node_.topology.online.subset_of(near))
      confine(pod, near, because("services share the CPUs of the NUMA nodes that the scheduler chose"));
    else if (!all_shared)
      confine(pod, shared_, kShared);
  }

  /// The shared CPUs of the NUMA nodes that its CPU comes from, if there are any.
  [[nodiscard]] CpuSet shared_near(const Pod& pod) const {
    CpuSet near;
    for (const auto& cpu : node_.topology.cpus)
      if (std::ranges::find(pod.cpu_numa_nodes, cpu.numa) != pod.cpu_numa_nodes.end()) near.add(cpu.id);
    return near & shared_;
  }

  /// Whether there are CPUs that best effort may not share, and some that are left to it.
  [[nodiscard]] bool must_keep_off() const {
    return !claims_.best_effort().empty() && !claims_.all.subset_of(claims_.best_effort());
  }

  void keep_off(const PodSample& pod) {
    if (must_keep_off()) confine(pod, claims_.best_effort(), kBestEffort);
  }

  /// A value wins over what suppression holds, so there it is what the cgroup has, without the CPUs in
  /// question.
  void keep_off_best_effort() {
    if (!must_keep_off()) return;
    const auto holds = [](const decide::Intent& one) { return one.hold && one.knob == Knob::cpuset_cpus; };
    const bool held = std::ranges::any_of(out_.all(), holds);
    for_besteffort(node_, [&](CgroupIndex index, const CgroupSample& cgroup) {
      const auto has = held ? cpus_in_use(&cgroup) : claims_.all;
      const auto may = allowed_in_besteffort(index, cgroup);
      if (has && may) place(cgroup, *has & *may, kBestEffort);
    });
  }

  /// Above a SYSTEM pod also the system's CPUs, on which the pod runs. Absent: it is a container of that pod.
  [[nodiscard]] std::optional<CpuSet> allowed_in_besteffort(CgroupIndex index,
                                                            const CgroupSample& cgroup) const {
    if (!node_.object.system_qos_cpus) return claims_.best_effort();
    for (const PodSample& pod : node_.pods) {
      if (!is_confined_to_system(*pod.spec)) continue;
      if (is_leaf(cgroup.kind) && node_.is_within(index, pod.cgroup)) return std::nullopt;
      if (node_.is_within(pod.cgroup, index)) return claims_.best_effort() | *node_.object.system_qos_cpus;
    }
    return claims_.best_effort();
  }

  void confine(const PodSample& pod, const CpuSet& cpus, const Reason& why) {
    for (const auto& container : node_.containers_of(pod))
      if (const auto* cgroup = node_.cgroup(container.cgroup)) place(*cgroup, cpus, why);
  }

  void place(const CgroupSample& cgroup, const CpuSet& cpus, const Reason& why) {
    const CpuSet online = cpus & node_.topology.online;
    if (!online.empty() && cgroup.applied.cpus && !provisioning(node_, cgroup))
      out_.want(cgroup.id, Knob::cpuset_cpus, online, why);
  }

  static constexpr Reason kShared =
      because("services without CPUs of their own share the CPUs that no other service has");
  static constexpr Reason kBestEffort =
      because("best effort has all CPUs but those that are reserved or that a pod has exclusively");
  const NodeSnapshot& node_;
  decide::Intents& out_;
  CpuClaims claims_;
  CpuSet shared_;
};

bool enabled(const NodeSlo& slo) { return slo.evenkeel.cpusets; }

void decide(const NodeSnapshot& node, const NodeSlo& /*slo*/, decide::NoState& /*state*/,
            CpusetsPolicy::Facts /*facts*/, decide::Intents& out) {
  if (node.object.kubelet_static_cpu_manager || node.topology.online.empty()) return;
  Round(node, out).decide();
}

}  // namespace

constinit const CpusetsPolicy cpusets_policy{
    {"cpusets", "containers run on the CPUs that their pod was assigned, services share the rest", enabled},
    decide};

}  // namespace evenkeel::pinning
