#include <algorithm>
#include <cmath>

#include "qos/cpu/burst/burst.h"
#include "qos/cpu/burst/parts.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::burst {
namespace {

/// Pods limited by their quota: batch pods have theirs from lent resources (batch_resources.h), pods with
/// CPUs of their own have none.
bool is_divided(const Pod& pod) {
  return pod.label_qos.value_or(QosClass::ls) == QosClass::ls && !owns_cpus(pod) && is_active(pod) &&
         !pod.from_cgroup_only;
}

bool awaits_container(const NodeSnapshot& node, const PodSample& pod) {
  return std::ranges::any_of(node.containers_of(pod), [](const ContainerSample& container) {
    return container.spec != nullptr && container.cgroup == kNoCgroup;
  });
}

class Round {
 public:
  Round(const NodeSnapshot& node, const NodeSlo& slo, const decide::BurstQuotas& burst, decide::Intents& out)
      : node_(node), slo_(slo), burst_(burst), out_(out) {}

  void decide_pod(const PodSample& pod) {
    const auto divisor = quota_divisor(node_, slo_, pod);
    if (!divisor || provisioning(node_, pod)) return;
    if (pod.spec->pending_pod_level_cpu) return hold(pod);
    for (const auto& container : node_.containers_of(pod)) decide_container(*pod.spec, container, *divisor);
    const auto* cgroup = limited(pod.cgroup);
    if (cgroup == nullptr || std::ranges::binary_search(burst_.raised_pods, cgroup->id)) return;
    const auto& level = pod.spec->pod_level_limits.cpu;
    const Duration period = cgroup->applied.cpu_limit->period;
    if (const auto quota = normalized_pod_quota(*pod.spec, level, period, *divisor))
      want(*cgroup, *quota, *divisor, owners_pod_quota(*pod.spec, level, period));
  }

 private:
  /// While a resize of the pod's own limit is pending, the list tells what the pod's cgroup holds. That is
  /// divided already.
  void hold(const PodSample& pod) {
    const auto hold_one = [this](CgroupIndex index) {
      if (const auto* cgroup = limited(index))
        out_.hold(cgroup->id, Knob::cpu_quota, because("held: a resize of the pod's limit is pending"));
    };
    hold_one(pod.cgroup);
    for (const auto& container : node_.containers_of(pod)) hold_one(limited_cgroup(node_, container.cgroup));
  }

  void decide_container(const Pod& pod, const ContainerSample& container, double divisor) {
    const auto* cgroup = limited(limited_cgroup(node_, container.cgroup));
    if (cgroup == nullptr || container.spec == nullptr) return;
    // Of a subgroup no shares are read, which tell that it is being set up.
    if (provisioning(node_, *node_.cgroup(container.cgroup))) return;
    const auto limit = cpu_limit_of(pod, *container.spec);
    if (!limit || std::ranges::binary_search(burst_.containers, cgroup->id)) return;
    const QuotaTime whole = base_quota(*limit, cgroup->applied.cpu_limit->period);
    want(*cgroup, divided(whole, divisor), divisor, whole.count());
  }

  /// The kubelet may be configured to set no quotas.
  [[nodiscard]] const CgroupSample* limited(CgroupIndex index) const {
    const auto* cgroup = node_.cgroup(index);
    const bool has_quota = cgroup && cgroup->applied.cpu_limit && cgroup->applied.cpu_limit->quota &&
                           cgroup->applied.cpu_limit->period > Duration::zero();
    return has_quota ? cgroup : nullptr;
  }

  void want(const CgroupSample& cgroup, QuotaTime quota, double divisor, std::optional<std::int64_t> owners) {
    out_.want(
        cgroup.id, Knob::cpu_quota, quota.count(),
        because("{} per period: a CPU of this node counts for {} of a standard one, which the limit is in",
                quota, Percent(static_cast<std::int64_t>(std::lround(divisor * 100)))),
        owners);
  }

  const NodeSnapshot& node_;
  const NodeSlo& slo_;
  const decide::BurstQuotas& burst_;
  decide::Intents& out_;
};

bool enabled(const NodeSlo& slo) { return slo.evenkeel.cpu_normalization; }

void decide(const NodeSnapshot& node, const NodeSlo& slo, decide::NoState& /*state*/,
            CpuNormalizationPolicy::Facts facts, decide::Intents& out) {
  Round round(node, slo, facts.read<decide::BurstQuotas>(), out);
  for (const auto& pod : node.pods) round.decide_pod(pod);
}

}  // namespace

std::optional<double> quota_divisor(const NodeSnapshot& node, const NodeSlo& slo, const PodSample& pod) {
  const auto& ratio = node.object.cpu_normalization_ratio;
  if (!slo.evenkeel.cpu_normalization || !ratio || *ratio <= 1 || !is_divided(*pod.spec)) return std::nullopt;
  // On v1 no container may have more than its pod: the kernel would refuse what is about to be written.
  const bool whole = !node.v2_cpu && (awaits_container(node, pod) || awaits_resize(*pod.spec));
  return whole ? std::nullopt : ratio;
}

QuotaTime divided(QuotaTime quota, std::optional<double> divisor) {
  const auto whole = std::max(quota, kMinQuota);
  if (!divisor || *divisor <= 1) return whole;
  const auto part = std::ceil(static_cast<double>(whole.count()) / *divisor);
  return std::max(QuotaTime(static_cast<std::int64_t>(part)), kMinQuota);
}

std::optional<QuotaTime> normalized_pod_quota(const Pod& pod, std::optional<MilliCpu> level, Duration period,
                                              double divisor) {
  const auto limit = cpu_limit_of(pod);
  if (!limit || (!pod.pod_level_limits.cpu && pod.init_peak.cpu.value_or(MilliCpu{}) > *limit))
    return std::nullopt;
  QuotaTime sum = quota_of_limits(pod, level, divisor, period);
  if (const auto overhead = pod.overhead.cpu.value_or(MilliCpu{}); overhead > MilliCpu{})
    sum += divided(quota_for(overhead, period), divisor);
  return sum;
}

constinit const CpuNormalizationPolicy cpu_normalization_policy{
    {"cpu-normalization", "services' limits are in standard CPUs: less time on CPUs that count for more",
     enabled},
    decide};

}  // namespace evenkeel::burst
