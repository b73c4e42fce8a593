// Who is who: joins the cgroup tree with the pod list into the structural part of a snapshot (cgroups, pods,
// containers, host applications and the links between them). Runs when either changes, not every tick.
#pragma once

#include <memory>
#include <vector>

#include "cgroup/tree.h"
#include "qos/snapshot.h"

namespace evenkeel {

/// Replaces the structural part of `node`; measurements of cgroups that were there before are kept by id.
/// `pods` null: the pod source has not delivered. Directories of pods that the list does not name get a
/// PodSample too, with a spec derived from the path alone (from_cgroup_only), owned by node.pod_specs besides
/// the listed ones.
void build_roster(const CgroupTree& tree, std::shared_ptr<const std::vector<Pod>> pods,
                  std::shared_ptr<const NodeSlo> slo, NodeSnapshot& node);

/// The pods that the tree alone can name: QoS and uid from the path, containers from the sub-directories.
std::vector<Pod> pods_from_tree(const CgroupTree& tree);

/// Where a host application's directory is, relative to a hierarchy's root.
std::string host_application_path(const HostApplication& app, const Layout& layout);

}  // namespace evenkeel
