// Totals for the metrics: alarms, how often and how long best effort was braked, and the reaction times.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "qos/brake/brake.h"
#include "qos/model/alarm.h"

namespace evenkeel::brakes {

class BrakeRecord {
 public:
  /// Upper bounds of the histogram of reactions; the last bucket has none.
  static constexpr std::array<Duration, 8> kBounds = {
      std::chrono::microseconds(250), std::chrono::microseconds(500), std::chrono::milliseconds(1),
      std::chrono::milliseconds(2),   std::chrono::milliseconds(5),   std::chrono::milliseconds(10),
      std::chrono::milliseconds(20),  std::chrono::milliseconds(100)};
  struct Lever {
    std::uint64_t brakes = 0;
    Duration on{};  ///< without the brake that is on now
    std::optional<MonoTime> since{};
  };

  void alarm_raised(const Alarm& alarm) { ++alarms_[place(alarm.what, alarm.source)]; }
  /// Time from the alarm to the write.
  void braked_after(Duration took);
  /// Counts the brakes that a decision set or released.
  struct Change {
    bool on = false, off = false;
  };
  Change follow(const brake::BrakeState& state, MonoTime now);

  [[nodiscard]] std::uint64_t alarms(Contended what, AlarmSource source) const {
    return alarms_[place(what, source)];
  }
  [[nodiscard]] const Lever& cpu() const { return cpu_; }
  [[nodiscard]] const Lever& memory() const { return memory_; }
  /// Per bucket, not cumulative.
  [[nodiscard]] const std::array<std::uint64_t, kBounds.size() + 1>& reactions() const { return reactions_; }
  [[nodiscard]] Duration reaction_time() const { return reaction_time_; }

 private:
  static void follow(const brake::BrakeLever& lever, MonoTime now, Lever& record, Change& moved);
  static constexpr std::size_t place(Contended what, AlarmSource source) {
    return static_cast<std::size_t>(what) * kAlarmSourceCount + static_cast<std::size_t>(source);
  }
  std::array<std::uint64_t, kContendedCount * kAlarmSourceCount> alarms_{};
  Lever cpu_{}, memory_{};
  std::array<std::uint64_t, kBounds.size() + 1> reactions_{};
  Duration reaction_time_{};
};

}  // namespace evenkeel::brakes
