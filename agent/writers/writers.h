// Runs the writers other than the executor: the I/O cost model, resctrl groups, core scheduling cookies,
// scheduler features and network classes. Does not decide what to write.
#pragma once

#include <array>
#include <vector>

#include "agent/writers/kernel_access.h"
#include "cgroup/executor/actuator.h"
#include "cgroup/iocost/cost_writer.h"
#include "cgroup/network/writer.h"
#include "cgroup/resctrl/writer.h"
#include "cgroup/sched/core_sched_writer.h"
#include "cgroup/sched/sched_feature_writer.h"

namespace evenkeel::writers {

class Writers {
 public:
  /// Both must outlive it.
  Writers(const tree::CgroupTree& tree, KernelAccess& kernel, bool dry_run);

  /// Before the executor: I/O weights have no effect on a disk until its cost model is on.
  void apply_io_cost(const decide::Intents& intents, MonoTime now, executor::Report& report) {
    io_cost_.serve(intents, now, report);
  }
  /// All others, after the executor.
  void apply(const decide::Intents& intents, MonoTime now, executor::Report& report);
  /// Puts every original back: orderly stop.
  void restore_all(MonoTime now, executor::Report& report);

  void add_managed(std::vector<executor::Managed>& out) const;
  [[nodiscard]] executor::ActuatorTotals totals() const;
  [[nodiscard]] const resctrl::ResctrlCounters& resctrl_counters() const { return resctrl_.counters(); }
  [[nodiscard]] const sched::CoreSchedCounters& core_sched_counters() const { return core_sched_.counters(); }
  [[nodiscard]] executor::ActuatorTotals network_totals() const { return network_.totals(); }

 private:
  /// In the order in which they write.
  [[nodiscard]] std::array<const executor::Actuator*, 5> all() const {
    return {&io_cost_, &resctrl_, &core_sched_, &sched_features_, &network_};
  }
  iocost::IoCostWriter io_cost_;
  resctrl::ResctrlGroupWriter resctrl_;
  sched::CoreSchedWriter core_sched_;
  sched::SchedFeatureWriter sched_features_;
  network::NetworkWriter network_;
};

}  // namespace evenkeel::writers
