#include "agent/tick/roster.h"

#include "collectors/per_cgroup/roster.h"

namespace evenkeel::tick {

void Roster::join() {
  listed_ = inputs_.pods_delivered() ? with_unlisted_pods(listed_, inputs_.pods(), tree_) : inputs_.pods();
  node_.object = inputs_.node();
  if (inputs_.cpu_manager().is_static) {
    node_.object.kubelet_static_cpu_manager = true;
    node_.object.kubelet_pinned_cpus = inputs_.cpu_manager().pinned;
  }
  per_cgroup::build_roster(tree_, listed_, inputs_.slo(), node_);
  names_.update(node_.pod_specs);
  newest_unknown_ = per_cgroup::newest_unknown_cgroup(node_);
}

void Roster::mark_stale(MonoTime now) {
  node_.pods_stale = inputs_.pods_stale(now);
  node_.object_stale = inputs_.node_stale(now);
}

}  // namespace evenkeel::tick
