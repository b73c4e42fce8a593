// Which of the events that a machine can count are counted: all of them, fewer while somebody else (the NMI
// watchdog, a profiler) wants counters too, and all again later. May not: open a counter.
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
  /// A profiler may have stopped, a sysctl been changed.
  static constexpr Duration kRetryInterval = std::chrono::minutes(10);

  explicit CounterSet(CounterEvents all) : all_(all), now_(std::move(all)) {}

  [[nodiscard]] const CounterEvents& now() const { return now_; }
  /// Which are left out, and who has their counters; empty: none is.
  [[nodiscard]] const std::string& why() const { return why_; }
  /// Of a window that was begun with so many events: for most of the time the counters were somebody else's.
  /// The least important goes, and where it was a try of all, those that went before.
  void too_many(std::size_t events, MonoTime at, const Host& host);
  /// It had a result.
  void fits(std::size_t events);
  /// Whether it is time to try all again; windows that are open have to begin anew then.
  bool should_retry_all(MonoTime at);

 private:
  CounterEvents all_, now_;
  std::string why_{};
  std::optional<MonoTime> left_out_{};     ///< the last time that some had to go
  std::optional<std::size_t> previous_{};  ///< all are tried again; so many were counted before
};

}  // namespace evenkeel::counters
