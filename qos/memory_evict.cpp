#include "qos/memory_evict.h"

#include <algorithm>

namespace evenkeel {
namespace {

/// MemAvailable counts the page cache as free, since it can be had without harm.
std::optional<Reason> need(const NodeSnapshot& node, const ThresholdStrategy& threshold, bool draining) {
  if (!node.node.memory) return std::nullopt;
  const Bytes capacity = node.object.memory_capacity.value_or(node.node.memory->total);
  if (capacity <= Bytes{}) return std::nullopt;
  const Bytes used = std::max(node.node.memory->total - node.node.memory->available, Bytes{});
  const Percent start = threshold.memory_evict_threshold_percent;
  const Percent lower = threshold.memory_evict_lower_percent.value_or(start - Percent(2));
  if (used < percent_of(capacity, draining ? lower : start)) return std::nullopt;
  return because("the node uses {} of {} memory, the threshold is {}; {} are to be freed, down to {}", used,
                 capacity, start, used - percent_of(capacity, lower), lower);
}

bool may_choose(const NodeSnapshot& /*node*/, const PodSample& pod) {
  return pod.spec->label_qos == QosClass::be;
}

std::optional<Bytes> held(const NodeSnapshot& node, const PodSample& pod) {
  const auto* cgroup = node.cgroup(pod.cgroup);
  return cgroup ? cgroup->memory.anonymous : std::nullopt;
}

/// The lower priority first, then the larger use; those whose use is not known come last.
bool before(const NodeSnapshot& node, const PodSample& a, const PodSample& b) {
  const auto& first = a.spec->priority;
  const auto& second = b.spec->priority;
  if (first && second && *first != *second) return *first < *second;
  const auto use = held(node, a), other = held(node, b);
  if (use != other) return use.value_or(Bytes(-1)) > other.value_or(Bytes(-1));
  return a.spec->name > b.spec->name;
}

}  // namespace

constinit const EvictionTrigger be_memory_evict_trigger{
    "memory-evict", FeatureGate::be_memory_evict, std::chrono::seconds(4), need, may_choose, before};

}  // namespace evenkeel
