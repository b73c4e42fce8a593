#include "agent/writers/writers.h"

namespace evenkeel::writers {

Writers::Writers(const tree::CgroupTree& tree, KernelAccess& kernel, bool dry_run)
    : io_cost_(tree, kernel.files, kernel.journal, dry_run),
      resctrl_(tree, kernel.resctrl, kernel.journal, dry_run),
      core_sched_(tree, kernel.resctrl, kernel.cookies, kernel.journal, dry_run),
      sched_features_(kernel.host, kernel.journal, dry_run),
      network_(tree, kernel.network, kernel.journal, dry_run) {}

void Writers::apply(const decide::Intents& intents, MonoTime now, executor::Report& report) {
  resctrl_.serve(intents, now, report);
  core_sched_.serve(intents, now, report);
  sched_features_.serve(intents, now, report);
  network_.serve(intents, now, report);
}

void Writers::restore_all(MonoTime now, executor::Report& report) {
  io_cost_.restore_all(now, report);
  resctrl_.restore_all(now, report);
  core_sched_.restore_all(now, report);
  sched_features_.restore_all(now, report);
  network_.restore_all(now, report);
}

void Writers::add_managed(std::vector<executor::Managed>& out) const {
  for (const executor::Actuator* writer : all()) writer->add_managed(out);
}

executor::ActuatorTotals Writers::totals() const {
  executor::ActuatorTotals sum;
  for (const executor::Actuator* writer : all()) sum += writer->totals();
  return sum;
}

}  // namespace evenkeel::writers
