#include "qos/lending/batch_resources.h"

#include <algorithm>

#include "qos/cpu/burst/burst.h"
#include "qos/memory/watermarks.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::lending {
namespace {

/// Requests and limits of lent resources. An absent limit is none.
struct Claim {
  std::optional<MilliCpu> cpu_request{}, cpu_limit{};
  std::optional<Bytes> memory_limit{};
  MilliCpu own_cpu{};  ///< of a pod: what it requests of the node's own CPU besides; the kubelet's share
  [[nodiscard]] bool asks() const { return cpu_request || cpu_limit || memory_limit; }
};

template <class T>
std::optional<T> either(const std::optional<T>& batch, const std::optional<T>& mid) {
  return batch ? batch : mid;
}
template <class T>
std::optional<T> positive(const std::optional<T>& limit) {
  return limit && *limit > T{} ? limit : std::nullopt;
}

/// Nothing if the container requests the node's own resources: then the kubelet has written its values.
Claim claim_of(const Container& container) {
  const auto requests = completed_requests(container.requests, container.limits);
  Claim out;
  if (!requests.cpu && !container.limits.cpu) {
    out.cpu_request = either(requests.batch_cpu, requests.mid_cpu);
    out.cpu_limit = positive(either(container.limits.batch_cpu, container.limits.mid_cpu));
  }
  if (!requests.memory && !container.limits.memory)
    out.memory_limit = positive(either(container.limits.batch_memory, container.limits.mid_memory));
  return out;
}

template <class T>
void add_to(std::optional<T>& sum, const std::optional<T>& part) {
  if (sum) sum = part ? std::optional(clamped_sum(*sum, *part)) : std::nullopt;
}

/// A limit of the pod as a whole holds for each of its containers: the kubelet has written it.
Claim claim_of(const Pod& pod, const Container& container) {
  auto out = claim_of(container);
  if (cpu_limit_of(pod, container)) out.cpu_request = out.cpu_limit = std::nullopt;
  if (memory_limit_of(pod, container)) out.memory_limit = std::nullopt;
  return out;
}

/// Sums; one container without a limit leaves the pod without. Init containers run alone in the pod.
Claim claim_of(const Pod& pod) {
  Claim out{std::nullopt, MilliCpu{}, Bytes{}};
  bool any = false;
  for (const auto& container : pod.containers) {
    const auto part = claim_of(pod, container);
    any = any || part.asks();
    if (part.cpu_request)
      out.cpu_request = clamped_sum(out.cpu_request.value_or(MilliCpu{}), *part.cpu_request);
    add_to(out.cpu_limit, part.cpu_limit);
    add_to(out.memory_limit, part.memory_limit);
  }
  if (!any) return {};
  out.own_cpu = pod_requests(pod).cpu.value_or(MilliCpu{});
  if (const auto peak = either(pod.init_peak.batch_cpu, pod.init_peak.mid_cpu); peak && out.cpu_limit)
    out.cpu_limit = std::max(*out.cpu_limit, *peak);
  if (const auto peak = either(pod.init_peak.batch_memory, pod.init_peak.mid_memory);
      peak && out.memory_limit)
    out.memory_limit = std::max(*out.memory_limit, *peak);
  if (out.cpu_limit) out.cpu_limit = clamped_sum(*out.cpu_limit, pod.overhead.cpu.value_or(MilliCpu{}));
  if (out.memory_limit)
    out.memory_limit = clamped_sum(*out.memory_limit, pod.overhead.memory.value_or(Bytes{}));
  out.cpu_limit = positive(out.cpu_limit);
  out.memory_limit = positive(out.memory_limit);
  return out;
}

class Round {
 public:
  Round(const NodeSnapshot& node, decide::Intents& out) : node_(node), out_(out) {}

  void decide_pod(const PodSample& pod) {
    const auto claim = claim_of(*pod.spec);
    const auto* cgroup = node_.cgroup(pod.cgroup);
    if (!claim.asks() || cgroup == nullptr) return;
    give(*cgroup, claim, provisioning(node_, pod));
    for (const auto& container : node_.containers_of(pod)) {
      const auto* own = node_.cgroup(container.cgroup);
      if (container.spec != nullptr && own != nullptr)
        give(*own, claim_of(*pod.spec, *container.spec), provisioning(node_, *own));
    }
  }

 private:
  void give(const CgroupSample& cgroup, const Claim& claim, bool half_made) {
    if (half_made) return;
    if (claim.cpu_request && cgroup.applied.cpu_shares) {
      const MilliCpu lent = *claim.cpu_request, all = clamped_sum(lent, claim.own_cpu);
      out_.want(cgroup.id, Knob::cpu_shares, shares_for(all, node_.v2_cpu),
                all == lent
                    ? because("its share of best effort's CPU is its request of {} of lent CPU", lent)
                    : because("its share is its requests together: {} of lent CPU and {} of the node's own",
                              lent, claim.own_cpu));
    }
    const auto& limit = cgroup.applied.cpu_limit;
    if (claim.cpu_limit && limit && limit->period > Duration::zero())
      out_.want(
          cgroup.id, Knob::cpu_quota,
          burst::divided(quota_for(*claim.cpu_limit, limit->period), node_.object.cpu_normalization_ratio)
              .count(),
          because("its limit of {} of lent CPU", *claim.cpu_limit));
    if (claim.memory_limit) bound_memory(cgroup, *claim.memory_limit);
  }

  void bound_memory(const CgroupSample& cgroup, Bytes limit) {
    const auto now = cgroup.applied.plain.bytes(Knob::memory_limit);
    if (!now) return;
    if (!cgroup.memory.current)
      return out_.hold(cgroup.id, Knob::memory_limit, because("it is not known how much is in use"));
    const Bytes used = *cgroup.memory.current;
    const Bytes next = memory::limit_above_use(limit, used, *now);
    out_.want(cgroup.id, Knob::memory_limit, next.count(),
              next == limit ? because("its limit of {} of lent memory", limit)
                            : because("{} are in use; it comes down to its limit of {} of lent memory as the "
                                      "use does",
                                      used, limit));
  }

  const NodeSnapshot& node_;
  decide::Intents& out_;
};

bool enabled(const NodeSlo& slo) { return slo.evenkeel.batch_resources; }

void decide(const NodeSnapshot& node, const NodeSlo& /*slo*/, decide::NoState& /*state*/,
            BatchResourcesPolicy::Facts /*facts*/, decide::Intents& out) {
  Round round(node, out);
  for (const auto& pod : node.pods)
    if (is_active(*pod.spec) && !pod.spec->from_cgroup_only) round.decide_pod(pod);
}

}  // namespace

std::int64_t shares_for(MilliCpu request, bool v2) {
  const auto shares = std::clamp<std::int64_t>(scaled(request.count(), 1024, 1000), 2, 262144);
  return v2 ? 1 + (shares - 2) * 9999 / 262142 : shares;
}

constinit const BatchResourcesPolicy batch_resources_policy{
    {"batch-resources", "pods on lent resources get their shares, quota and memory limit", enabled}, decide};

}  // namespace evenkeel::lending
