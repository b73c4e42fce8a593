#include <algorithm>

#include "qos/eviction/choice.h"
#include "qos/eviction/eviction.h"
#include "qos/model/capacity.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::eviction {
namespace {

using Is = EvictionNeed::Is;

constexpr Duration kCoolDown = std::chrono::seconds(20);

/// Why an average says nothing; absent: it is usable. Koordinator rounds the third of its window down to
/// whole seconds, so that windows below three seconds need no measurement at all.
template <std::size_t N>
std::optional<Reason> hole(const EvictionInput& input, const TimeWindow<N>& values) {
  const Duration window = eviction_window(input.node, input.threshold);
  if (values.last() != input.node.at) return because("the CPU figures of this tick are not known");
  if (values.covered() * 3 >= window) return std::nullopt;
  return because("of the window of {} only {} have been measured", window, values.covered());
}

/// Whether best effort uses all it can, so that more would help it. Below one CPU it is short in any case.
bool uses_its_limit(const BestEffortCpu& cpu, Percent threshold) {
  constexpr MilliCpu kLittle(1000);
  return cpu.limit > MilliCpu{} && (cpu.limit < kLittle || cpu.use >= percent_of(cpu.limit, threshold));
}

/// The requests to evict until the limit is `percent` of the rest.
MilliCpu to_release(const BestEffortCpu& cpu, Percent percent) {
  return percent_of(cpu.request, percent) - cpu.limit;
}

BestEffortCpu average_of(const TimeWindow<3>& window) {
  const auto values = window.average().value_or(TimeWindow<3>::Values{});
  return {MilliCpu(values[0]), MilliCpu(values[1]), MilliCpu(values[2])};
}

EvictionNeed starved(const EvictionInput& input, bool draining) {
  if (!input.use.best_effort_now)
    return {Is::unknown, because("best effort's CPU use, requests or limit are not known")};
  if (const auto why = hole(input, input.use.best_effort)) return {Is::unknown, *why};
  const ThresholdStrategy& t = input.threshold;
  const Percent lower = t.cpu_evict_be_satisfaction_lower_percent.value_or(Percent{});
  const Percent upper = t.cpu_evict_be_satisfaction_upper_percent.value_or(Percent{});
  const Percent busy = t.cpu_evict_be_usage_threshold_percent.value_or(Percent(90));
  const BestEffortCpu lately = average_of(input.use.best_effort);
  const BestEffortCpu now = *input.use.best_effort_now;
  for (const BestEffortCpu& cpu : {lately, now}) {
    if (!uses_its_limit(cpu, busy))
      return {Is::no, because("best effort uses {} of the {} that it may use, less than {}", cpu.use,
                              cpu.limit, busy)};
    const bool low =
        draining ? cpu.limit < percent_of(cpu.request, upper) : cpu.limit <= percent_of(cpu.request, lower);
    if (!low || to_release(cpu, upper) <= MilliCpu{})
      return {Is::no, because("best effort may use {} of the {} that it requested; it is starved at {}",
                              cpu.limit, cpu.request, lower)};
  }
  return {
      Is::yes,
      because("best effort may use {} of the {} that it requested, and is starved at {}; pods that request "
              "{} are to be evicted, so that it may use {} of the rest",
              now.limit, now.request, lower, std::min(to_release(lately, upper), to_release(now, upper)),
              upper)};
}

const char* missing_satisfaction(const ThresholdStrategy& t) {
  const auto lower = t.cpu_evict_be_satisfaction_lower_percent;
  const auto upper = t.cpu_evict_be_satisfaction_upper_percent;
  if (!lower || *lower <= Percent(0) || *lower > Percent(60))
    return "cpuEvictBESatisfactionLowerPercent (1 to 60)";
  const bool good = upper && *upper > Percent(0) && *upper < Percent(100) && *upper >= *lower;
  return good ? nullptr : "cpuEvictBESatisfactionUpperPercent (the lower to 99)";
}

std::optional<std::int64_t> requested(const EvictionInput& /*input*/, const PodSample& pod) {
  return count_of(pod_requests(*pod.spec).batch_cpu);
}
std::optional<std::int64_t> used(const EvictionInput& input, const PodSample& pod) {
  const auto* cgroup = input.node.cgroup(pod.cgroup);
  return cgroup ? count_of(cgroup->cpu_use) : std::nullopt;
}
/// The pod that uses most of what it requested.
std::int64_t use_of_request(const NodeSnapshot& node, const PodSample& pod) {
  const auto request = count_of(pod_requests(*pod.spec).batch_cpu).value_or(0);
  return request > 0 ? scaled(use_weight(node, pod), 1000, request) : 0;
}

EvictionNeed busy_node(const EvictionInput& input, bool draining) {
  const MilliCpu capacity = cpu_capacity(input.node.object, input.node.node);
  if (capacity <= MilliCpu{}) return {Is::unknown, because("the node's CPU capacity is not known")};
  if (const auto why = hole(input, input.use.node)) return {Is::unknown, *why};
  return need_of_use(MilliCpu(input.use.node.average()->front()), capacity,
                     *input.threshold.cpu_evict_threshold_percent, input.threshold.cpu_evict_lower_percent,
                     draining,
                     {"the node uses {} of {}, the threshold is {}",
                      "the node uses {} of {}, the threshold is {}; {} must be freed, down to {}"});
}

const char* missing_thresholds(const ThresholdStrategy& t) {
  if (!t.cpu_evict_threshold_percent) return "cpuEvictThresholdPercent";
  return t.evict_enabled_priority_threshold ? nullptr : "evictEnabledPriorityThreshold";
}

}  // namespace

constinit const EvictionTrigger be_cpu_evict_trigger{
    "cpu-evict", FeatureGate::be_cpu_evict, kCoolDown,           true,      missing_satisfaction,
    starved,     is_labelled_best_effort,   rank_of_best_effort, requested, use_of_request};
constinit const EvictionTrigger cpu_evict_trigger{
    "cpu-priority-evict", FeatureGate::cpu_evict, kCoolDown, true,      missing_thresholds, busy_node,
    is_evictable_for_use, rank_by_priority,       used,      use_weight};

}  // namespace evenkeel::eviction
