// Who is who: joins the cgroup tree with the pod list into the structural part of a snapshot (cgroups, pods,
// containers, host applications and the links between them). Runs when either changes, not every tick.
#pragma once

#include <memory>
#include <vector>

#include "cgroup/tree/tree.h"
#include "qos/model/snapshot.h"

namespace evenkeel::per_cgroup {

/// Replaces the structural part of `node`; measurements of cgroups that were there before are kept by id.
/// `pods` null: the pod source has not delivered. Paths are views into the tree, so this must run after every
/// scan() that returned true. Containers: first those of the pod's spec, in its order, then the directories
/// that no spec names (spec null). Directories of pods that the list does not name get a
/// PodSample too, with a spec derived from the path alone (from_cgroup_only), owned by node.pod_specs besides
/// the listed ones.
void build_roster(const tree::CgroupTree& tree, std::shared_ptr<const std::vector<Pod>> pods,
                  std::shared_ptr<const NodeSlo> slo, NodeSnapshot& node);

/// The youngest directory of a pod or container that no listed pod explains; zero: none. The sandbox of a pod
/// is among them, whose id no list tells.
CgroupId newest_unknown_cgroup(const NodeSnapshot& node);

/// The pods that the tree alone can name: QoS and uid from the path, phase running, a container per
/// sub-directory (its id is its name too, nothing is known of what it asks for; the sandbox is among them).
std::vector<Pod> pods_from_tree(const tree::CgroupTree& tree);

/// Where a host application's directory is, relative to a hierarchy's root. Empty: nowhere (no directory
/// given, or one that leads out of the hierarchy).
std::string host_application_path(const HostApplication& app, const tree::Layout& layout);

}  // namespace evenkeel::per_cgroup
