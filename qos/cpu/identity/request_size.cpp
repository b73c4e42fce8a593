#include <algorithm>

#include "qos/cpu/identity/policies.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::identity {
namespace {

/// Whether a policy may set a quota on best effort where the scheduler is EEVDF: requests longer than a
/// service's are the remedy for what that does to services, and for nothing else. A little longer is enough;
/// much longer ones have a price: while the rest of the node is busy, a service waits milliseconds
/// (docs/measured-levers.md).
bool may_set_quota(const NodeSlo& slo) {
  const auto& own = slo.evenkeel;
  const SuppressPolicy policy = slo.threshold.cpu_suppress_policy;
  // Under `cpuset`, best-effort host applications have quotas.
  const bool applications = std::ranges::any_of(
      slo.host_applications, [](const HostApplication& app) { return app.qos == QosClass::be; });
  const bool asked = policy == SuppressPolicy::cfs_quota || !own.objectives.empty() ||
                     (policy == SuppressPolicy::cpuset && applications);
  return (slo.threshold.enable && asked) || own.brake.enable || own.interference.act;
}

bool enabled(const NodeSlo& slo) {
  const auto& sizes = slo.evenkeel.request_size;
  return sizes.enable && (may_set_quota(slo) || sizes.services > Duration::zero());
}

/// Zero: the kernel's own.
Duration size_of(const NodeSlo& slo, QosClass of_class) {
  const auto& sizes = slo.evenkeel.request_size;
  if (of_class == QosClass::be) return may_set_quota(slo) ? sizes.best_effort : Duration::zero();
  return of_class == QosClass::system ? Duration::zero() : sizes.services;
}

/// The quota of the BestEffort directory holds for all pods in it, whatever their labels say.
QosClass class_of(const Pod& pod) { return is_best_effort(pod) ? QosClass::be : default_qos(pod); }

void plan_for(const NodeSnapshot& node, CgroupIndex index, Duration size, decide::RequestSizePlan& plan) {
  const CgroupSample* cgroup = node.cgroup(index);
  if (cgroup == nullptr || cgroup->hands_off || size == Duration::zero()) return;
  plan.members.push_back(
      {cgroup->id, size, because("its tasks ask the scheduler for {} of CPU time at a time", size)});
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, decide::NoState& /*state*/,
            RequestSizePolicy::Facts /*facts*/, decide::Intents& out) {
  out.request_sizes().by = out.policy();
  if (slo.evenkeel.hands_off || !node.scheduler.request_sizes) return;
  for (const PodSample& pod : node.pods)
    if (is_active(*pod.spec) || pod.spec->from_cgroup_only)
      plan_for(node, pod.cgroup, size_of(slo, class_of(*pod.spec)), out.request_sizes());
  for (const HostApplicationSample& app : node.host_applications)
    plan_for(node, app.cgroup, size_of(slo, app.spec->qos), out.request_sizes());
}

}  // namespace

constinit const RequestSizePolicy request_size_policy{
    {"request-size", "best effort asks the EEVDF scheduler for longer requests than services do", enabled},
    decide};

}  // namespace evenkeel::identity
