// Counts the seconds of stall caused by others, by kind: since the victim is watched, and within the last
// day. Pure; fixed memory. Does not decide which pod caused it (qos/interference/measure.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "qos/model/interference_settings.h"
#include "qos/model/units.h"

namespace evenkeel::detector {

/// The stalls measured in each tick, in the order of Signal from run_queue_wait on.
inline constexpr std::size_t kStallSignals = 3;
constexpr Signal stall_signal(std::size_t stall) {
  return static_cast<Signal>(static_cast<std::size_t>(Signal::run_queue_wait) + stall);
}
constexpr std::size_t stall_index(Signal signal) {
  return static_cast<std::size_t>(signal) - static_cast<std::size_t>(Signal::run_queue_wait);
}

/// Seconds of stall caused by others, by kind of stall. Waits for a CPU are attributed by what ran there; of
/// the other stalls it is the excess over the usual while a suspect was accused.
using StallSeconds = std::array<double, kStallSignals>;

/// The hours of the last day: the current one so far, and the 23 before it.
class StallDay {
 public:
  static constexpr std::int64_t kHours = 24;

  /// Call in order of time; entries older than a day are dropped.
  void add(std::size_t stall, double seconds, MonoTime now) {
    const std::int64_t hour = hour_at(now);
    if (hour <= newest_ - kHours) return;
    for (auto next = std::max(newest_, hour - kHours) + 1; next <= hour; ++next) hours_[slot(next)] = {};
    newest_ = std::max(newest_, hour);
    hours_[slot(hour)][stall] += static_cast<float>(seconds);
  }
  /// What was added in this hour of the time line; zero for hours older than a day.
  [[nodiscard]] double at(std::size_t stall, std::int64_t hour) const {
    const bool kept = hour <= newest_ && newest_ - hour < kHours;
    return kept ? static_cast<double>(hours_[slot(hour)][stall]) : 0;
  }
  [[nodiscard]] StallSeconds sum(MonoTime now) const {
    StallSeconds out{};
    const std::int64_t hour = hour_at(now);
    for (std::size_t stall = 0; stall < kStallSignals; ++stall)
      for (auto back = kHours; back-- > 0;) out[stall] += at(stall, hour - back);
    return out;
  }
  static std::int64_t hour_at(MonoTime time) {
    return std::chrono::floor<std::chrono::hours>(time.time_since_epoch()).count();
  }

 private:
  static std::size_t slot(std::int64_t hour) {
    return static_cast<std::size_t>((hour % kHours + kHours) % kHours);
  }
  std::array<std::array<float, kStallSignals>, static_cast<std::size_t>(kHours)> hours_{};
  std::int64_t newest_ = 0;
};

}  // namespace evenkeel::detector
