#include <algorithm>

#include "qos/brake/brake.h"
#include "qos/decide/policy.h"
#include "qos/memory/watermarks.h"

namespace evenkeel::brake {
namespace {

// A cgroup that ran so little, or has so little, cannot be why a service waits.
constexpr CpuTime kAlmostNothing{1'000'000};
constexpr Percent kLittleMemory{1};
// A pod that uses no more only answers probes now and then, and hardly when the others do.
constexpr MilliCpu kIdlePod{2};

double percent_waiting(const std::optional<Pressure>& pressure) {
  return pressure ? pressure->some.avg10_percent : 0;
}

bool throttled(const CgroupSample* cgroup) {
  return cgroup != nullptr && (!cgroup->throttling || cgroup->throttling->throttled_time > Duration::zero());
}

/// For the node's alarms, which name no cgroup: whether this pod waited in the last seconds, and not because
/// of its own limits.
bool waits(const NodeSnapshot& node, const BrakeSettings& settings, Contended what, const PodSample& pod) {
  const auto* cgroup = node.cgroup(pod.cgroup);
  if (cgroup == nullptr || is_best_effort(*pod.spec)) return false;
  if (what == Contended::memory)
    return !memory::is_near_own_limit(node, pod) &&
           percent_waiting(cgroup->pressure.memory) >=
               static_cast<double>(settings.memory_pressure_percent.count());
  const bool own = throttled(cgroup) || std::ranges::any_of(node.containers_of(pod), [&](const auto& each) {
                     return throttled(node.cgroup(each.cgroup));
                   });
  return !own &&
         percent_waiting(cgroup->pressure.cpu) >= static_cast<double>(settings.cpu_pressure_percent.count());
}

const PodSample* pod_of(const NodeSnapshot& node, CgroupId id) {
  const auto found = std::ranges::find_if(node.pods, [&](const PodSample& pod) {
    const auto* cgroup = node.cgroup(pod.cgroup);
    return cgroup != nullptr && cgroup->id == id;
  });
  return found == node.pods.end() ? nullptr : &*found;
}

bool is_service_outside(const NodeSnapshot& node, CgroupId id) {
  return std::ranges::any_of(node.host_applications, [&](const HostApplicationSample& app) {
    const auto* cgroup = node.cgroup(app.cgroup);
    return cgroup != nullptr && cgroup->id == id && app.spec->qos != QosClass::be;
  });
}

/// A tight quota makes its own pod wait, too. The wait without that part must still reach the alarm's
/// threshold.
bool waits_for_others(const Alarm& alarm) {
  if (!alarm.victim_throttled) return false;
  if (*alarm.victim_throttled == Duration::zero()) return true;
  return alarm.victim_stalled && *alarm.victim_stalled - *alarm.victim_throttled >= alarm.waited;
}

bool service_waits(const NodeSnapshot& node, const BrakeSettings& settings, const Alarm& alarm) {
  if (!alarm.victim)
    return std::ranges::any_of(node.pods,
                               [&](const auto& pod) { return waits(node, settings, alarm.what, pod); });
  const PodSample* pod = pod_of(node, alarm.victim);
  const bool service = pod != nullptr ? !is_best_effort(*pod->spec) : is_service_outside(node, alarm.victim);
  if (!service) return false;
  if (alarm.what == Contended::memory) return pod == nullptr || !memory::is_near_own_limit(node, *pod);
  return alarm.source == AlarmSource::run_queue || waits_for_others(alarm);
}

bool is_short_of_memory(const NodeSnapshot& node, const NodeSlo& slo) {
  const auto& memory = node.node.memory;
  return memory && memory->free.value_or(memory->available) <
                       percent_of(memory->total, slo.evenkeel.memory_push_back.free_percent);
}

}  // namespace

MilliCpu least_cpu(const NodeSnapshot& node, const BrakeSettings& settings) {
  int at_work = 0, idle = 0;
  for (const auto& pod : node.pods) {
    const auto* cgroup = node.cgroup(pod.cgroup);
    if (cgroup == nullptr || pod.spec->kube_qos != KubeQos::besteffort) continue;
    ++(!cgroup->cpu_use || *cgroup->cpu_use > kIdlePod ? at_work : idle);
  }
  return std::max(settings.least_cpu_per_pod * (at_work + (idle != 0 ? 1 : 0)), decide::kMinBesteffortCpu);
}

bool besteffort_is_cause(const NodeSnapshot& node, const NodeSlo& slo, const Alarm& alarm) {
  switch (alarm.what) {
    case Contended::cpu:
      if (alarm.source == AlarmSource::run_queue) break;  // the alarm says so
      if (!alarm.besteffort_cpu_time || *alarm.besteffort_cpu_time < kAlmostNothing) return false;
      if (Duration(alarm.besteffort_cpu_time->count()) < alarm.waited) return false;
      break;
    case Contended::memory:
      if (!alarm.besteffort_memory || !is_short_of_memory(node, slo)) return false;
      if (*alarm.besteffort_memory < percent_of(node.node.memory->total, kLittleMemory)) return false;
      break;
    case Contended::io:
      return false;  // nothing that can be cut so quickly
  }
  return service_waits(node, slo.evenkeel.brake, alarm);
}

std::optional<MilliCpu> besteffort_cpu_limit(const NodeSnapshot& node) {
  const auto* besteffort = node.cgroup(node.besteffort);
  const MilliCpu capacity = node.node.cpu_capacity;
  if (besteffort == nullptr || besteffort->hands_off || capacity <= MilliCpu{}) return std::nullopt;
  const auto& limit = besteffort->applied.cpu_limit;
  if (!limit || limit->period <= Duration::zero()) return std::nullopt;
  return limit->quota ? std::min(cpu_of(*limit->quota, limit->period), capacity) : capacity;
}

std::optional<MilliCpu> braked_cpu_limit(const NodeSnapshot& node, const BrakeSettings& settings) {
  const auto now = besteffort_cpu_limit(node);
  if (!now) return std::nullopt;
  const MilliCpu keep =
      std::max(percent_of(node.node.cpu_capacity, settings.cpu_percent), least_cpu(node, settings));
  return keep < *now ? std::optional(keep) : std::nullopt;
}

std::optional<Bytes> braked_memory_limit(const NodeSnapshot& node, const NodeSlo& slo, Bytes used) {
  const auto* besteffort = node.cgroup(node.besteffort);
  if (besteffort == nullptr || besteffort->hands_off || !besteffort->memory.anonymous) return std::nullopt;
  const auto now = besteffort->applied.plain.bytes(Knob::memory_high);
  if (!now) return std::nullopt;
  const Bytes keep = std::max(used - percent_of(used, slo.evenkeel.memory_push_back.step_percent),
                              memory::min_besteffort_memory(*besteffort));
  return memory::limit_above_use(keep, used, *now) < *now ? std::optional(keep) : std::nullopt;
}

}  // namespace evenkeel::brake
