// Holds the agent's view of its node: the cgroup tree, the files that are read in each tick, and the snapshot
// that both fill. Does not decide or write.
#pragma once

#include "agent/inputs/inputs.h"
#include "agent/record/pod_names.h"
#include "agent/tick/roster.h"
#include "agent/tick/tree_scan.h"
#include "cgroup/executor/executor.h"
#include "cgroup/tree/tree.h"
#include "collectors/sampler.h"
#include "qos/model/snapshot.h"

namespace evenkeel::tick {

class Observer {
 public:
  /// `host` and `inputs` must outlive it.
  Observer(const Host& host, tree::Layout layout, const inputs::Inputs& inputs, bool stepped);

  /// Every tick: measures.
  void collect(MonoTime now) { sampler_.collect(node_, now); }
  /// Between two ticks: reads the settings of cgroups that are new or were written; whether any has changed.
  bool read_new_settings(MonoTime now) { return sampler_.read_new_settings(node_, now); }
  /// These values were written: the next tick reads them back, since the kernel rounds and may refuse.
  void read_back(const executor::Report& report);

  [[nodiscard]] TreeScan& scan() { return scan_; }
  [[nodiscard]] const TreeScan& scan() const { return scan_; }
  [[nodiscard]] Roster& roster() { return roster_; }
  [[nodiscard]] const Roster& roster() const { return roster_; }
  [[nodiscard]] NodeSnapshot& node() { return node_; }
  [[nodiscard]] const NodeSnapshot& node() const { return node_; }
  [[nodiscard]] collectors::Sampler& sampler() { return sampler_; }
  [[nodiscard]] const collectors::Sampler& sampler() const { return sampler_; }
  [[nodiscard]] const tree::CgroupTree& tree() const { return tree_; }
  [[nodiscard]] const record::PodNames& names() const { return names_; }

 private:
  tree::CgroupTree tree_;
  collectors::Sampler sampler_;
  NodeSnapshot node_{};
  record::PodNames names_{tree_};
  TreeScan scan_;
  Roster roster_;
};

}  // namespace evenkeel::tick
