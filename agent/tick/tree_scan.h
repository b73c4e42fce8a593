// Keeps the cgroup tree up to date: by the kernel's change events if it can be watched, otherwise by a scan
// in every tick. Does not know pods.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/inputs/inputs.h"
#include "cgroup/tree/tree.h"
#include "cgroup/tree/watch.h"
#include "collectors/sampler.h"

namespace evenkeel::tick {

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

}  // namespace evenkeel::tick
