// Joins what the inputs name (pods, Node object, configuration) with what the cgroup tree holds, into the
// structural part of the snapshot. Does not measure.
#pragma once

#include "agent/inputs/inputs.h"
#include "agent/record/pod_names.h"
#include "agent/tick/unlisted_pods.h"
#include "cgroup/tree/tree.h"
#include "qos/model/snapshot.h"

namespace evenkeel::tick {

class Roster {
 public:
  /// All of these must outlive it.
  Roster(const inputs::Inputs& inputs, const tree::CgroupTree& tree, NodeSnapshot& node,
         record::PodNames& names)
      : inputs_(inputs), tree_(tree), node_(node), names_(names) {}

  /// The tree or an input has changed.
  void join();
  /// Marks pods and Node object as stale when no server has confirmed them for too long.
  void mark_stale(MonoTime now);
  /// The youngest directory of a pod or container that the pod list does not name. Zero: the list names them
  /// all.
  [[nodiscard]] CgroupId newest_unknown_cgroup() const { return newest_unknown_; }

 private:
  const inputs::Inputs& inputs_;
  const tree::CgroupTree& tree_;
  NodeSnapshot& node_;
  record::PodNames& names_;
  Pods listed_{};  ///< of the last join()
  CgroupId newest_unknown_{};
};

}  // namespace evenkeel::tick
