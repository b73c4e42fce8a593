// The monotonic and the wall clock; nothing else but the demo (demo/load.cpp) reads the
// machine's time.
#pragma once

#include "qos/model/units.h"

namespace evenkeel::runtime {

/// For display and exporters, which count in seconds.
constexpr double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
constexpr double seconds(MonoTime at) { return seconds(at.time_since_epoch()); }

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual MonoTime now() const = 0;
};

/// CLOCK_MONOTONIC.
class SystemClock : public Clock {
 public:
  [[nodiscard]] MonoTime now() const override;
};

/// Moves only by advance(): stepped mode and tests.
class SteppedClock : public Clock {
 public:
  [[nodiscard]] MonoTime now() const override { return now_; }
  void advance(Duration by) { now_ += by; }

 private:
  MonoTime now_{};
};

/// "2026-11-21T10:15:30.123Z" for log and audit lines, to compare with other logs.
class WallClock {
 public:
  virtual ~WallClock() = default;
  [[nodiscard]] virtual double unix_seconds() const = 0;
};
class SystemWallClock : public WallClock {
 public:
  [[nodiscard]] double unix_seconds() const override;
};

}  // namespace evenkeel::runtime
