#include <algorithm>

#include "qos/cpu/suppress/share.h"
#include "qos/cpu/suppress/suppress.h"
#include "qos/model/capacity.h"

namespace evenkeel::suppress {
namespace {

struct Use {
  MilliCpu services{};
  MilliCpu best_effort{};    ///< reached by suppression, or labelled best effort
  MilliCpu in_besteffort{};  ///< the part of it below the kubelet's BestEffort directory
};

MilliCpu use_of(const CgroupSample* sample) {
  return sample ? sample->cpu_use.value_or(MilliCpu{}) : MilliCpu{};
}

void count(const NodeSnapshot& node, CgroupIndex cgroup, MilliCpu used, bool best_effort, Use& use) {
  (best_effort ? use.best_effort : use.services) += used;
  if (best_effort && node.is_within(cgroup, node.besteffort)) use.in_besteffort += used;
}

/// Without the applications inside of it, which are counted separately.
MilliCpu own_use(const NodeSnapshot& node, const HostApplicationSample& app) {
  MilliCpu used = use_of(node.cgroup(app.cgroup));
  for (const HostApplicationSample& inner : node.host_applications) {
    const CgroupSample* sample = node.cgroup(inner.cgroup);
    if (sample && app.cgroup != kNoCgroup && sample->parent == app.cgroup) used -= use_of(sample);
  }
  return std::max(used, MilliCpu{});
}

// A pod without a measurement yet, or already gone, is missing in the sum. What the BestEffort directory
// itself has used is not: counting its surplus as best effort keeps the coming and going of batch pods from
// looking like a burst of the system, which would cut the others for seconds.
Use count_use(const NodeSnapshot& node, AppLever apps) {
  Use use;
  for (const PodSample& pod : node.pods)
    count(node, pod.cgroup, use_of(node.cgroup(pod.cgroup)), is_best_effort(*pod.spec), use);
  for (const HostApplicationSample& app : node.host_applications)
    count(node, app.cgroup, own_use(node, app), is_suppressed(node, app, apps), use);
  const MilliCpu surplus = use_of(node.cgroup(node.besteffort)) - use.in_besteffort;
  use.best_effort += std::max(surplus, MilliCpu{});
  return use;
}

MilliCpu reserved(const NodeSnapshot& node) {
  return std::max(kubelet_reserved_cpu(node.object, node.node),
                  node.object.reserved_cpu.value_or(MilliCpu{}));
}

/// Not below the configured minimum.
MilliCpu at_least_minimum(MilliCpu target, const ThresholdStrategy& threshold, MilliCpu capacity) {
  const auto& minimum = threshold.cpu_suppress_min_percent;
  return minimum ? std::max(target, percent_of(capacity, *minimum)) : target;
}

}  // namespace

std::optional<SuppressTarget> suppress_target(const NodeSnapshot& node, const ThresholdStrategy& threshold,
                                              AppLever apps, Reason& unknown) {
  const MilliCpu capacity = cpu_capacity(node.object, node.node);
  if (capacity <= MilliCpu{}) unknown = because("held: the node's CPU capacity is unknown");
  if (!node.node.cpu_use) unknown = because("held: the node's CPU use is unknown");
  const bool pods_known = node.pods_known || node.kubepods == kNoCgroup;  // a plain machine has no pods
  if (!pods_known) unknown = because("held: the pods are unknown");
  if (capacity <= MilliCpu{} || !node.node.cpu_use || !pods_known) return std::nullopt;

  const Use use = count_use(node, apps);
  SuppressTarget result;
  result.capacity = capacity;
  result.allowed = percent_of(capacity, threshold.cpu_suppress_threshold_percent);
  result.services = use.services;
  const MilliCpu rest = *node.node.cpu_use - use.services - use.best_effort;
  result.system = std::max(rest, reserved(node));
  result.unseen = result.system - reserved(node);
  const MilliCpu left = result.allowed - result.services - result.system;
  result.target = at_least_minimum(left, threshold, capacity);
  return result;
}

void apply_objectives(const decide::ServiceObjectives& objectives, const ThresholdStrategy& threshold,
                      SuppressTarget& target) {
  if (!objectives.in_force || !objectives.besteffort_cpu) return;
  const MilliCpu allowed = at_least_minimum(*objectives.besteffort_cpu, threshold, target.capacity);
  const bool threshold_limits = threshold.cpu_suppress_policy != SuppressPolicy::automatic;
  if (objectives.some_unknown && threshold_limits && target.target <= allowed) return;
  target.target = allowed;
  target.objectives = objectives;
}

void leave_cpus_to_services(const ForkStorm& storm, const ThresholdStrategy& threshold,
                            SuppressTarget& target) {
  const MilliCpu used = target.services + target.system;
  const MilliCpu left = target.capacity - used - std::max(kWholeCpu, MilliCpu(used.count() / 4));
  target.target = at_least_minimum(left, threshold, target.capacity);
  target.storm = storm;
}

}  // namespace evenkeel::suppress
