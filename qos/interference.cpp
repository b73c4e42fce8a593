#include "qos/interference.h"

#include <algorithm>

namespace evenkeel {
namespace {

/// Containers and host applications, whoever they belong to: the slow and those that slow them.
void follow(const NodeSnapshot& node, InterferenceState& state) {
  const auto is_watched = [](const CgroupSample& cgroup) {
    return cgroup.kind == CgroupKind::container || cgroup.kind == CgroupKind::host_application;
  };
  std::erase_if(state.watched, [&](const WatchedContainer& one) {
    return std::ranges::find(node.cgroups, one.cgroup, &CgroupSample::id) == node.cgroups.end();
  });
  for (const CgroupSample& cgroup : node.cgroups) {
    if (!is_watched(cgroup) || watched_container(state, cgroup.id) != nullptr) continue;
    const auto place = std::ranges::lower_bound(state.watched, cgroup.id, {}, &WatchedContainer::cgroup);
    state.watched.insert(place, WatchedContainer{.cgroup = cgroup.id});
  }
}

void decide(const NodeSnapshot& node, const NodeSlo&, PolicyState& all, Intents&) {
  InterferenceState& state = all.interference;
  follow(node, state);
  for (const CpuCounts& counts : node.cpu_counts) {
    const auto found = std::ranges::lower_bound(state.watched, counts.cgroup, {}, &WatchedContainer::cgroup);
    if (found != state.watched.end() && found->cgroup == counts.cgroup) found->counted = counts;
  }
}

}  // namespace

const WatchedContainer* watched_container(const InterferenceState& state, CgroupId cgroup) {
  const auto found = std::ranges::lower_bound(state.watched, cgroup, {}, &WatchedContainer::cgroup);
  return found != state.watched.end() && found->cgroup == cgroup ? &*found : nullptr;
}

const PolicySpec interference_policy{"interference", "finds out who slows a service down",
                                     [](const NodeSlo& slo) { return slo.evenkeel.interference.enable; },
                                     &decide, [](PolicyState& state) { state.interference = {}; }};

}  // namespace evenkeel
