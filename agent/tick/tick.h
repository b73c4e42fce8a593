// Runs one round of the agent's loop: inputs -> snapshot -> intents -> plan -> execution -> record, in full
// once a tick, and without measuring between two ticks. Does not wait: the caller schedules it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agent/brakes/brakes.h"
#include "agent/evictions/evictions.h"
#include "agent/lender/lending.h"
#include "agent/record/recorder.h"
#include "agent/record/unmanaged_pods.h"
#include "agent/tick/execution.h"
#include "agent/tick/observer.h"

namespace evenkeel::tick {

class Tick {
 public:
  /// All of these must outlive it.
  struct Parts {
    inputs::Inputs& inputs;
    Observer& observer;
    Decider& decider;
    Execution& execution;
    Reclaims& reclaims;
    brakes::Brakes& brakes;
    evictions::Evictions& evictions;
    lender::Lender& lender;
    record::Recorder& recorder;
    const runtime::Clock& clock;
  };
  explicit Tick(const Parts& parts) : parts_(parts) {}

  /// Before the first tick, for its result: inputs that were refused and values that were restored at the
  /// start.
  void started(std::vector<std::string> problems) { result_.problems = std::move(problems); }
  void restored(executor::Report report) { restored_at_start_ = std::move(report); }
  /// Adds what was restored at the start, once: to the first tick's report, or to that of a stop before it.
  void report_restored(executor::Report& report) { put_first(report, std::exchange(restored_at_start_, {})); }

  /// One full round.
  const TickResult& run(MonoTime now);
  /// Between two ticks, after an event (a new cgroup, a changed file, a foreign write, an alarm): decides
  /// again on the existing measurements. Nothing is measured, so rates keep their tick-long windows.
  const TickResult& react(MonoTime now);
  /// Counts ticks that came due while an earlier one was still running.
  void missed(std::uint64_t count) { counters_.late_ticks += count; }
  /// Rounds between two ticks have used up their share of the time.
  void paused() { ++counters_.early_pauses; }

  /// Of the last run() or react().
  [[nodiscard]] const TickResult& result() const { return result_; }
  [[nodiscard]] const TickCounters& counters() const { return counters_; }

 private:
  Changes refresh(MonoTime now);
  void join_roster();
  void decide_and_execute(MonoTime now);
  void reclaim(MonoTime now);
  void finish(MonoTime now);

  Parts parts_;
  TickResult result_{};
  TickCounters counters_{};
  record::UnmanagedPodsLog unmanaged_pods_log_{};
  executor::Report restored_at_start_{};  ///< until it is reported
};

}  // namespace evenkeel::tick
