#include "qos/model/pod_resources.h"

#include <algorithm>

namespace evenkeel {

namespace {

template <class Q>
void add_one(std::optional<Q>& sum, const std::optional<Q>& more) {
  if (more) sum = clamped_sum(sum.value_or(Q{}), *more);
}

template <class Q>
void raise_one(std::optional<Q>& most, const std::optional<Q>& other) {
  if (other) most = std::max(most.value_or(*other), *other);
}

template <class Q>
void complete_one(std::optional<Q>& request, const std::optional<Q>& limit) {
  if (!request) request = limit;
}

/// Calls f(member of a, member of b) for every resource.
template <class F>
void for_each(Resources& a, const Resources& b, F&& f) {
  f(a.cpu, b.cpu);
  f(a.memory, b.memory);
  f(a.batch_cpu, b.batch_cpu);
  f(a.batch_memory, b.batch_memory);
  f(a.mid_cpu, b.mid_cpu);
  f(a.mid_memory, b.mid_memory);
}

template <class Q>
void replace_one(std::optional<Q>& sum, const std::optional<Q>& own) {
  if (own) sum = own;
}

template <class Q>
std::optional<Q> first_limit(const std::optional<Q>& own, const std::optional<Q>& of_pod) {
  for (const auto& limit : {own, of_pod})
    if (limit && *limit > Q{}) return limit;
  return std::nullopt;
}

}  // namespace

Resources completed_requests(const Resources& requests, const Resources& limits) {
  auto out = requests;
  for_each(out, limits, [](auto& request, const auto& limit) { complete_one(request, limit); });
  return out;
}

void add(Resources& sum, const Resources& more) {
  for_each(sum, more, [](auto& a, const auto& b) { add_one(a, b); });
}

void raise(Resources& most, const Resources& other) {
  for_each(most, other, [](auto& a, const auto& b) { raise_one(a, b); });
}

Resources pod_requests(const Pod& pod) {
  Resources out;
  for (const auto& container : pod.containers)
    add(out, completed_requests(container.requests, container.limits));
  raise(out, pod.init_peak);
  for_each(out, pod.pod_level_requests, [](auto& sum, const auto& own) { replace_one(sum, own); });
  out = completed_requests(out, pod.pod_level_limits);
  add(out, pod.overhead);
  return out;
}

std::optional<MilliCpu> cpu_limit_of(const Pod& pod, const Container& container) {
  return first_limit(container.limits.cpu, pod.pod_level_limits.cpu);
}
std::optional<Bytes> memory_limit_of(const Pod& pod, const Container& container) {
  return first_limit(container.limits.memory, pod.pod_level_limits.memory);
}

std::optional<MilliCpu> cpu_limit_of(const Pod& pod) {
  if (const auto own = first_limit(pod.pod_level_limits.cpu, {})) return own;
  MilliCpu sum;
  for (const Container& container : pod.containers) {
    const auto limit = first_limit(container.limits.cpu, {});
    if (!limit) return std::nullopt;
    sum = clamped_sum(sum, *limit);
  }
  return pod.containers.empty() ? std::nullopt : std::optional(sum);
}

bool has_own_cpus(const Pod& pod) {
  return !is_best_effort(pod) && pod.allocated_cpus && !pod.allocated_cpus->empty();
}

bool has_default_shares(const NodeSnapshot& node, const CgroupSample& cgroup) {
  constexpr std::int64_t kDefaultV1 = 1024, kDefaultV2 = 100;
  return cgroup.applied.cpu_shares == (node.v2_cpu ? kDefaultV2 : kDefaultV1);
}

bool provisioning(const NodeSnapshot& node, const PodSample& pod) {
  if (node.cgroup(pod.cgroup) == nullptr) return false;
  const auto containers = node.containers_of(pod);
  return std::none_of(containers.begin(), containers.end(),
                      [](const ContainerSample& container) { return container.cgroup != kNoCgroup; });
}

bool provisioning(const NodeSnapshot& node, const CgroupSample& cgroup) {
  return has_default_shares(node, cgroup) && !cgroup.cpu_use;
}

}  // namespace evenkeel
