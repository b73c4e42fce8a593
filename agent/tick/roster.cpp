#include "agent/tick/roster.h"

#include "collectors/per_cgroup/roster.h"

namespace evenkeel::tick {

void Roster::join() {
  listed_ = inputs_.pods_delivered() ? with_unlisted_pods(listed_, inputs_.pods(), tree_) : inputs_.pods();
  node_.object = inputs_.node();
  per_cgroup::build_roster(tree_, listed_, inputs_.slo(), node_);
  names_.update(node_.pod_specs);
  newest_unknown_ = per_cgroup::newest_unknown_cgroup(node_);
}

void Roster::mark_stale(MonoTime now) {
  node_.pods_stale = inputs_.is_stale(inputs::Inputs::kPods, now);
  node_.object_stale = inputs_.is_stale(inputs::Inputs::kNode, now);
}

}  // namespace evenkeel::tick
