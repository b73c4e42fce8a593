#include "agent/record/measurement_status_log.h"

#include <array>
#include <utility>

namespace evenkeel::record {
namespace {

/// Stores the new value; whether it differs from the old one.
template <class How>
bool learns(How now, const std::string& why, How& before, std::string& why_before) {
  if (now == std::exchange(before, now) && why == why_before) return false;
  why_before = why;
  return true;
}

}  // namespace

std::string_view name(CounterBackend backend) {
  constexpr std::array<std::string_view, 3> kNames = {"none", "rotating", "per_cpu"};
  return kNames[static_cast<std::size_t>(backend)];
}

std::string_view name(RunQueueSource source) {
  constexpr std::array<std::string_view, 3> kNames = {"none", "schedstat", "bpf"};
  return kNames[static_cast<std::size_t>(source)];
}

void MeasurementStatusLog::log_changes(const NodeSnapshot& node, runtime::Log& log) {
  if (std::string_view(why_no_alarms_) != node.run_queue.alarms_unavailable_reason) {
    why_no_alarms_ = node.run_queue.alarms_unavailable_reason;
    if (!why_no_alarms_.empty()) log.info("brake-hears-pressure-only").with("why", why_no_alarms_);
  }
  const auto& counters = node.counters;
  if (learns(counters.backend, counters.why, backend_, why_counters_))
    log.info("counter-backend").with("backend", name(counters.backend)).with("why", counters.why);
  const auto& run_queue = node.run_queue;
  if (learns(run_queue.source, run_queue.why, source_, why_run_queue_))
    log.info("run-queue-source").with("source", name(run_queue.source)).with("why", run_queue.why);
}

}  // namespace evenkeel::record
