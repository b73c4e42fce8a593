// The writer for resctrl: creates groups, writes their schemata, moves tasks into them, and restores all of
// it. Reports what happened. Does not decide what is intended, mount anything, or touch a group that it has
// not created. Removing a group returns its tasks to the root's group, which they were taken from: tasks of
// another process's group, or of a monitoring group, are never moved.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cgroup/base/kernel_files.h"
#include "cgroup/executor/contest.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/journal.h"
#include "cgroup/tree/tree.h"
#include "qos/decide/resctrl_plan.h"

namespace evenkeel::resctrl {

/// Counted since the start; groups, members and quarantined are current.
struct ResctrlCounters : executor::ForeignCounts {
  std::uint64_t writes = 0;       ///< schemata and directories
  std::uint64_t moved_tasks = 0;  ///< moved into a group, or back
  std::uint64_t refusals = 0;
  std::size_t groups = 0, members = 0, quarantined = 0;
};

class ResctrlGroupWriter final : public executor::Actuator {
 public:
  /// All must outlive it.
  ResctrlGroupWriter(const tree::CgroupTree& tree, ResctrlFiles& files, executor::Journal& journal,
                     bool dry_run);
  ~ResctrlGroupWriter() override;

  /// Applies the plan. Adds what it did to `report`. A new cgroup is checked four times, once a second; then
  /// every cgroup once a minute, for tasks that joined it from elsewhere.
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

/// Restores offline: removes the groups that the journal holds. What the kernel refuses stays on record.
void restore_resctrl(ResctrlFiles& files, executor::Journal& journal, executor::Report& report);

}  // namespace evenkeel::resctrl
