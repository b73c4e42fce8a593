// Logs how interference is measured, why it is not measured better, and why the brake gets no alarms from
// BPF: only when that changes. Does not measure.
#pragma once

#include <string>
#include <string_view>

#include "agent/runtime/log.h"
#include "qos/model/snapshot.h"

namespace evenkeel::record {

std::string_view name(CounterBackend backend);
std::string_view name(RunQueueSource source);

class MeasurementStatusLog {
 public:
  /// After each tick. Allocates only when it logs.
  void log_changes(const NodeSnapshot& node, runtime::Log& log);

 private:
  CounterBackend backend_ = CounterBackend::none;
  RunQueueSource source_ = RunQueueSource::none;
  std::string why_counters_{}, why_run_queue_{}, why_no_alarms_{};
};

}  // namespace evenkeel::record
