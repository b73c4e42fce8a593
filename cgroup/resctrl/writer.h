// The hand that brings resctrl to a plan: makes groups, writes their schemata, moves tasks into them, and
// takes all of it back. Removing a group gives its tasks to the root's, which is where they were taken from:
// tasks of somebody else's group, or of a monitoring group, are never moved. Reports what happened. May not:
// decide what is wished, mount anything, or touch a group that it has not made.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cgroup/base/resctrl_files.h"
#include "cgroup/executor/actuator.h"
#include "cgroup/executor/contest.h"
#include "cgroup/executor/journal.h"
#include "cgroup/tree/tree.h"
#include "qos/decide/resctrl_plan.h"

namespace evenkeel::resctrl {

/// Since the start; groups, members and quarantined are of now.
struct ResctrlCounters : executor::ForeignCounts {
  std::uint64_t writes = 0;       ///< schemata and directories
  std::uint64_t moved_tasks = 0;  ///< into a group, or back
  std::uint64_t refusals = 0;
  std::size_t groups = 0, members = 0, quarantined = 0;
};

class ResctrlGroupWriter final : public executor::Actuator {
 public:
  /// All must outlive it.
  ResctrlGroupWriter(const tree::CgroupTree& tree, ResctrlFiles& files, executor::Journal& journal,
                     bool dry_run);
  ~ResctrlGroupWriter() override;

  /// Adds what it did to `report`. New cgroups are looked at until no task is found outside of their group,
  /// and for a few ticks more; then every cgroup once a minute, for those that joined it from elsewhere.
  void apply(const decide::ResctrlPlan& plan, MonoTime now, executor::Report& report);
  void serve(const decide::Intents& intents, MonoTime now, executor::Report& report) override {
    apply(intents.resctrl(), now, report);
  }
  void restore_all(MonoTime now, executor::Report& report) override;
  void add_managed(std::vector<executor::Managed>& out) const override;
  [[nodiscard]] executor::ActuatorTotals totals() const override;
  [[nodiscard]] const ResctrlCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Undo, offline: removes the groups that the journal holds. What the kernel refuses stays on record.
void restore_resctrl(ResctrlFiles& files, executor::Journal& journal, executor::Report& report);

}  // namespace evenkeel::resctrl
