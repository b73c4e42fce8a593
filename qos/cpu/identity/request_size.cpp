#include "qos/cpu/identity/policies.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::identity {
namespace {

bool enabled(const NodeSlo& slo) {
  const auto& sizes = slo.evenkeel.request_size;
  const bool quotas = slo.threshold.enable || slo.evenkeel.brake.enable || slo.evenkeel.interference.act;
  return sizes.enable && (quotas || sizes.services > Duration::zero());
}

/// Zero: the kernel's own.
Duration size_of(const RequestSizeSettings& sizes, QosClass of_class) {
  if (of_class == QosClass::be) return sizes.best_effort;
  return of_class == QosClass::system ? Duration::zero() : sizes.services;
}

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
  const auto& sizes = slo.evenkeel.request_size;
  for (const PodSample& pod : node.pods)
    if (is_active(*pod.spec) || pod.spec->from_cgroup_only)
      plan_for(node, pod.cgroup, size_of(sizes, default_qos(*pod.spec)), out.request_sizes());
  for (const HostApplicationSample& app : node.host_applications)
    plan_for(node, app.cgroup, size_of(sizes, app.spec->qos), out.request_sizes());
}

}  // namespace

constinit const RequestSizePolicy request_size_policy{
    {"request-size", "best effort asks the EEVDF scheduler for long requests, services for short ones",
     enabled},
    decide};

}  // namespace evenkeel::identity
