#include <algorithm>

#include "qos/eviction/choice.h"
#include "qos/eviction/state.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::eviction {
namespace {

constexpr std::int64_t kDefaultWindowSeconds = 10;

/// The requests of the pods that stay; terminating ones do not count.
MilliCpu best_effort_requests(const NodeSnapshot& node) {
  MilliCpu sum{};
  for (const PodSample& pod : node.pods) {
    const Pod& spec = *pod.spec;
    if (spec.label_qos != QosClass::be || !is_active(spec) || spec.terminating) continue;
    sum = clamped_sum(sum, pod_requests(spec).batch_cpu.value_or(MilliCpu{}));
  }
  return sum;
}

const CpuSet* cpus_of(const CgroupSample& cgroup) {
  const Applied& applied = cgroup.applied;
  if (applied.cpus_effective && !applied.cpus_effective->empty()) return &*applied.cpus_effective;
  return applied.cpus && !applied.cpus->empty() ? &*applied.cpus : nullptr;
}

/// The CPUs of all best-effort containers together. Koordinator takes the smallest set of any of them, so
/// that one narrow container makes all the others look starved.
MilliCpu by_cpus(const NodeSnapshot& node, const CgroupSample& directory, MilliCpu capacity) {
  CpuSet together;
  for (const ContainerSample& container : node.containers) {
    const CgroupSample* cgroup = node.cgroup(container.cgroup);
    const PodSample& pod = node.pods[static_cast<std::size_t>(container.pod)];
    if (!cgroup || pod.spec->label_qos != QosClass::be) continue;
    if (const CpuSet* cpus = cpus_of(*cgroup)) together = together | *cpus;
  }
  const CpuSet* all = cpus_of(directory);
  if (all != nullptr) together = together.empty() ? *all : together & *all;
  if (together.empty()) return capacity;
  return std::min(capacity, MilliCpu(static_cast<std::int64_t>(together.size()) * 1000));
}

/// What CPU sets and the quota of the BestEffort directory leave. Absent: the quota cannot be read.
std::optional<MilliCpu> real_limit(const NodeSnapshot& node, const CgroupSample& directory) {
  if (!directory.applied.cpu_limit || node.node.cpu_capacity <= MilliCpu{}) return std::nullopt;
  const CpuLimit& limit = *directory.applied.cpu_limit;
  const MilliCpu cpus = by_cpus(node, directory, node.node.cpu_capacity);
  return limit.quota ? std::min(cpus, cpu_of(*limit.quota, limit.period)) : cpus;
}

/// Zero on the Node counts as next to nothing; a Node without a value, or with an old one, as not known.
std::optional<MilliCpu> allocatable(const NodeSnapshot& node) {
  const auto lent = lent_in_all(node, &Resources::batch_cpu);
  if (node.object_stale || !lent) return std::nullopt;
  return std::max(*lent, MilliCpu(1));
}

std::optional<BestEffortCpu> best_effort(const NodeSnapshot& node, const ThresholdStrategy& threshold) {
  const CgroupSample* directory = node.cgroup(node.besteffort);
  if (!directory || !directory->cpu_use || !node.pods_known || node.pods_stale) return std::nullopt;
  const bool real = threshold.cpu_evict_policy == CpuEvictPolicy::by_real_limit;
  const auto limit = real ? real_limit(node, *directory) : allocatable(node);
  if (!limit) return std::nullopt;
  return BestEffortCpu{*directory->cpu_use, best_effort_requests(node), *limit};
}

}  // namespace

Duration eviction_window(const NodeSnapshot& node, const ThresholdStrategy& threshold) {
  const Duration requested =
      std::chrono::seconds(threshold.cpu_evict_time_window_seconds.value_or(kDefaultWindowSeconds));
  return std::max(requested, node.since_previous.value_or(Duration{}));
}

void observe(const NodeSnapshot& node, const ThresholdStrategy& threshold, EvictionUse& use) {
  use.best_effort_now = use.braked ? std::nullopt : best_effort(node, threshold);
  if (!node.since_previous) return;
  const Duration window = eviction_window(node, threshold);
  if (node.node.cpu_use) use.node.add(node.at, *node.since_previous, {node.node.cpu_use->count()}, window);
  if (const auto& now = use.best_effort_now)
    use.best_effort.add(node.at, *node.since_previous,
                        {now->use.count(), now->request.count(), now->limit.count()}, window);
}

void take_facts(EvictionFacts facts, EvictionUse& use) {
  use.braked = facts.read<decide::BrakeInForce>().cpu;
  use.antagonists = facts.read<decide::RepeatAntagonists>().pods;
}

void restart_window(EvictionUse& use) {
  use.node.clear();
  use.best_effort.clear();
}

}  // namespace evenkeel::eviction
