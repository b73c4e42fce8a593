// Executes one tick's decisions: the plan through the executor, the intents that are no cgroup values through
// the other writers, in the order that the kernel needs. Does not decide.
#pragma once

#include <vector>

#include "agent/writers/writers.h"
#include "cgroup/executor/executor.h"

namespace evenkeel::tick {

class Execution {
 public:
  /// Both must outlive it.
  Execution(const tree::CgroupTree& tree, writers::KernelAccess& kernel, bool dry_run)
      : executor_(tree, kernel.files, kernel.journal, {.dry_run = dry_run}),
        writers_(tree, kernel, dry_run) {}

  using ForeignWrites = std::vector<tree::TreeWatch::Changes::Value>;
  /// The I/O cost model, then the plan. `seen`: values that other processes wrote since the last call.
  executor::Report apply(const std::vector<decide::Intent>& plan, const decide::Intents& intents,
                         const NodeSnapshot& node, const ForeignWrites& seen, MonoTime now);
  /// After apply(): everything that is neither a cgroup value nor the I/O cost model.
  void apply_others(const decide::Intents& intents, MonoTime now, executor::Report& report) {
    writers_.apply(intents, now, report);
  }
  /// Puts every original back: orderly stop.
  executor::Report restore_all(MonoTime now);

  /// Every value held now: the executor's, then those of the other writers.
  [[nodiscard]] std::vector<executor::Managed> managed() const;
  [[nodiscard]] const executor::ExecutorCounters& counters() const { return executor_.counters(); }
  [[nodiscard]] const writers::Writers& writers() const { return writers_; }

 private:
  executor::Executor executor_;
  writers::Writers writers_;
};

}  // namespace evenkeel::tick
