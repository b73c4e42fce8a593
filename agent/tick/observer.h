// What a tick sees: the cgroup tree, the roster of pods, and the snapshot. Does not decide.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/figures/figures.h"
#include "agent/inputs/inputs.h"
#include "agent/record/audit.h"
#include "agent/tick/cpu_ratio.h"
#include "cgroup/executor/executor.h"
#include "cgroup/tree/tree.h"
#include "cgroup/tree/watch.h"
#include "collectors/sampler.h"
#include "qos/model/capacity.h"
#include "qos/model/pod.h"
#include "qos/model/snapshot.h"

namespace evenkeel::tick {

// Finds pods that still run but are missing from the pod list: a kubelet that restarts without its API server
// lists only its static pods, and a pod deleted without a grace period leaves the list before its processes
// exit. Pure.

using Pods = std::shared_ptr<const std::vector<Pod>>;

/// `listed`, and those of `before` that it does not name although their directories are there, marked as
/// unlisted.
Pods with_unlisted_pods(const Pods& before, const Pods& listed, const tree::CgroupTree& tree);

// Joins what the inputs name (pods, Node object, configuration) with what the cgroup tree holds, into the
// structural part of the snapshot. Does not measure.

class Roster {
 public:
  /// All of these must outlive it.
  Roster(const inputs::Inputs& inputs, const tree::CgroupTree& tree, NodeSnapshot& node,
         record::PodNames& names)
      : inputs_(inputs), tree_(tree), node_(node), names_(names) {}

  /// The tree or an input has changed.
  void join();
  /// The CPUs may have changed. Allocates nothing while they are the same.
  void update_cpu_ratio() { cpu_ratio_.update(node_); }
  /// How many standard CPUs one of this machine's is by the NodeSLO's table; absent: see CpuRatio.
  [[nodiscard]] const std::optional<double>& cpu_ratio_of_table() const { return cpu_ratio_.of_table(); }
  /// Why the NodeSLO's table gives this machine no CPU normalization ratio; empty: it does, or is not asked.
  [[nodiscard]] const std::string& no_cpu_ratio() const { return cpu_ratio_.missing(); }
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
  CpuRatio cpu_ratio_{};
  CgroupId newest_unknown_{};
};

// Keeps the cgroup tree up to date: by the kernel's change events if it can be watched, otherwise by a scan
// in every tick. Does not know pods.

/// What has changed since the last call.
struct Changes {
  bool inputs = false;            ///< an input has another value
  bool tree = false;              ///< directories appeared or disappeared
  bool everywhere = false;        ///< the place of the change is unknown
  std::vector<CgroupId> grown{};  ///< the cgroups in which directories appeared, if known
};

class TreeScan {
 public:
  using ForeignWrites = std::vector<tree::TreeWatch::Changes::Value>;

  /// All of these must outlive it. `watched` false: the tree is scanned in every tick (stepped mode).
  TreeScan(const Host& host, const inputs::Inputs& inputs, tree::CgroupTree& tree,
           collectors::Sampler& sampler, bool watched);

  /// What the inputs and the kernel's events call for. Does not scan.
  Changes changes(const inputs::Inputs::Changed& inputs);
  /// Scans where `changes` says so; whether the tree has changed.
  bool scan(Changes& changes);
  /// Scans until no new directory is found: one created between the scan and its watch gives no event.
  void scan_until_stable(Changes& changes);
  /// Watches directories that are new; whether there were any.
  bool watch_new() { return watch_ && watch_->follow(tree_); }

  /// Values that other processes wrote since the last changes().
  [[nodiscard]] ForeignWrites& foreign_writes() { return foreign_writes_; }
  [[nodiscard]] std::vector<int> descriptors() const;
  /// Empty, or why not everything is watched.
  [[nodiscard]] std::string limitation() const;
  /// Times the kernel dropped events; each led to a scan.
  [[nodiscard]] std::uint64_t overflows() const { return overflows_; }

  /// How often a tree that grows during a scan is scanned again; the next event or tick continues.
  static constexpr int kMaxRounds = 8;

 private:
  void follow_host_applications();

  const inputs::Inputs& inputs_;
  tree::CgroupTree& tree_;
  collectors::Sampler& sampler_;
  std::optional<tree::TreeWatch> watch_{};
  ForeignWrites foreign_writes_{};
  bool first_ = true;
  std::uint64_t overflows_ = 0;
};

// Holds the agent's view of its node: the cgroup tree, the files that are read in each tick, and the snapshot
// that both fill. Does not decide or write.

class Observer {
 public:
  /// `host`, `inputs` and `log` must outlive it.
  Observer(const Host& host, tree::Layout layout, const inputs::Inputs& inputs, runtime::Log& log,
           bool stepped);

  /// Every tick: measures, and takes what services say of themselves.
  void collect(MonoTime now) {
    sampler_.collect(node_, now);
    reserved_cpus_.update(node_);
    roster_.update_cpu_ratio();
    figures_.collect(node_, now);
  }
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
  [[nodiscard]] figures::Figures& figures() { return figures_; }
  [[nodiscard]] const figures::Figures& figures() const { return figures_; }
  [[nodiscard]] const tree::CgroupTree& tree() const { return tree_; }
  [[nodiscard]] const record::PodNames& names() const { return names_; }

 private:
  tree::CgroupTree tree_;
  collectors::Sampler sampler_;
  figures::Figures figures_;
  NodeSnapshot node_{};
  ReservedCpus reserved_cpus_{};
  record::PodNames names_{tree_};
  TreeScan scan_;
  Roster roster_;
};

}  // namespace evenkeel::tick
