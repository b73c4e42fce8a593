#include "agent/tick/execution.h"

#include <utility>

#include "agent/tick/result.h"

namespace evenkeel::tick {

void put_first(executor::Report& report, executor::Report before) {
  const auto merge = [](auto& to, auto& from) {
    if (!from.empty()) to.insert(to.begin(), from.begin(), from.end());
  };
  merge(report.writes, before.writes);
  merge(report.refusals, before.refusals);
  merge(report.foreign, before.foreign);
}

executor::Report Execution::apply(const std::vector<decide::Intent>& plan, const decide::Intents& intents,
                                  const NodeSnapshot& node, const ForeignWrites& seen, MonoTime now) {
  executor::Report io_cost;
  writers_.apply_io_cost(intents, now, io_cost);
  executor::Report report = executor_.apply(plan, node, seen);
  put_first(report, std::move(io_cost));
  return report;
}

executor::Report Execution::restore_all(MonoTime now) {
  executor::Report report = executor_.restore_all(now);
  writers_.restore_all(now, report);
  return report;
}

std::vector<executor::Managed> Execution::managed() const {
  auto all = executor_.managed();
  writers_.add_managed(all);
  return all;
}

}  // namespace evenkeel::tick
