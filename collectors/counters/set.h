// Chooses which of the events that a machine can count are counted: all, or fewer while another user (the NMI
// watchdog, a profiler) needs counters, with later retries of all. Does not open counters.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "cgroup/base/host.h"
#include "collectors/counters/events.h"
#include "qos/model/units.h"

namespace evenkeel::counters {

class CounterSet {
 public:
  /// A profiler may have stopped, or a sysctl changed.
  static constexpr Duration kRetryInterval = std::chrono::minutes(10);

  explicit CounterSet(CounterEvents all) : all_(all), now_(std::move(all)) {}

  [[nodiscard]] const CounterEvents& now() const { return now_; }
  /// Which events are left out, and what uses their counters; empty: none is.
  [[nodiscard]] const std::string& why() const { return why_; }
  /// Reports a window with that many events whose counters were used by others most of the time. Drops the
  /// least important event; after a failed retry of all events, also those dropped before.
  void too_many(std::size_t events, MonoTime at, const Host& host);
  /// Reports a window with a result.
  void fits(std::size_t events);
  /// Whether it is time to retry all events; open windows then have to restart.
  bool should_retry_all(MonoTime at);

 private:
  CounterEvents all_, now_;
  std::string why_{};
  std::optional<MonoTime> left_out_{};     ///< the last time that events were dropped
  std::optional<std::size_t> previous_{};  ///< set while all are retried: the number counted before
};

}  // namespace evenkeel::counters
