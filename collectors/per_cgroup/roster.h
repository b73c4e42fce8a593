// Joins the cgroup tree with the pod list into the structural part of a snapshot (cgroups, pods, containers,
// host applications and the links between them). Runs when either changes, not every tick.
#pragma once

#include <memory>
#include <vector>

#include "cgroup/tree/tree.h"
#include "qos/model/snapshot.h"

namespace evenkeel::per_cgroup {

/// Replaces the structural part of `node`; measurements of cgroups that stay are kept by id. `pods` null: no
/// pod list has been received yet. Paths are views into the tree, so this must run after every scan() that
/// returned true. Containers: first those of the pod's spec, in its order, then directories not in the spec
/// (spec null). Directories of unlisted pods get a PodSample too, with a spec derived from the path alone
/// (from_cgroup_only), owned by node.pod_specs besides the listed ones.
void build_roster(const tree::CgroupTree& tree, std::shared_ptr<const std::vector<Pod>> pods,
                  std::shared_ptr<const NodeSlo> slo, NodeSnapshot& node);

/// The youngest directory of a pod or container that belongs to no listed pod; zero: none. Includes pod
/// sandboxes, whose ids are in no list.
CgroupId newest_unknown_cgroup(const NodeSnapshot& node);

/// A host application's directory, relative to a hierarchy's root. Empty if none is configured or it leads
/// out of the hierarchy.
std::string host_application_path(const HostApplication& app, const tree::Layout& layout);

}  // namespace evenkeel::per_cgroup
