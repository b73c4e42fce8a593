#include "agent/brakes/alarm_evidence.h"

#include <algorithm>

namespace evenkeel::brakes {
namespace {

/// How long the quotas of a service and of its containers have throttled it since the last tick.
std::optional<Duration> recent_throttling(const NodeSnapshot& node, collectors::Sampler& sampler,
                                          CgroupIndex victim) {
  Duration sum{};
  for (std::size_t i = 0; i < node.cgroups.size(); ++i) {
    const auto& each = node.cgroups[i];
    if (static_cast<CgroupIndex>(i) != victim && each.parent != victim) continue;
    if (each.applied.cpu_limit && !each.applied.cpu_limit->quota) continue;
    const auto throttling = sampler.recent_use(each.id).throttling;
    if (!throttling) return std::nullopt;
    sum += throttling->throttled_time;
  }
  return sum;
}

}  // namespace

void add_evidence(const NodeSnapshot& node, collectors::Sampler& sampler, Alarm& alarm) {
  const auto* besteffort = node.cgroup(node.besteffort);
  if (besteffort == nullptr) return;
  const collectors::RecentUse its = sampler.recent_use(besteffort->id);
  alarm.besteffort_cpu_time = its.cpu_time;
  alarm.besteffort_memory = its.memory;
  const auto victim = std::ranges::find(node.cgroups, alarm.victim, &CgroupSample::id);
  if (alarm.what != Contended::cpu || !alarm.victim || victim == node.cgroups.end()) return;
  alarm.victim_throttled =
      recent_throttling(node, sampler, static_cast<CgroupIndex>(victim - node.cgroups.begin()));
  const auto stalled = sampler.recent_use(victim->id).total_stall;
  if (stalled && victim->pressure.cpu) alarm.victim_stalled = *stalled - victim->pressure.cpu->some.total;
}

}  // namespace evenkeel::brakes
