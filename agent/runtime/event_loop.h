// The process's time and events: the clocks, a single-threaded event loop, and notifications to systemd.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/result.h"
#include "qos/model/units.h"

namespace evenkeel::runtime {

// The monotonic and the wall clock; nothing else reads the machine's time.

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

// A single-threaded event loop over one epoll for descriptors, timers and signals. Does not know QoS.

/// Fires once per arm(). Disarmed on destruction; must not outlive its loop.
class Timer;

/// Must not be moved once something was added: timers and clients keep its address.
class EventLoop {
 public:
  static Result<EventLoop> open();

  /// Calls `ready` whenever `fd` has one of `events` (EPOLLIN, EPOLLPRI …). The caller keeps owning `fd`.
  Result<> add(int fd, std::uint32_t events, std::function<void(std::uint32_t)> ready);
  /// Changes the events of a descriptor that was added.
  Result<> change(int fd, std::uint32_t events);
  void remove(int fd);
  /// Calls `tick` every `period` with the number of periods since the last call (1 unless late).
  Result<> every(Duration period, std::function<void(std::uint64_t)> tick);
  /// A timer that is not armed yet.
  Result<Timer> timer(std::function<void()> due);
  /// Blocks `signals` for the process and calls `arrived` instead.
  Result<> on_signals(const std::vector<int>& signals, std::function<void(int)> arrived);

  /// Handles events until stop(); may be called again. Returns the errno of a broken epoll, else 0.
  int run();
  void stop() { stopping_ = true; }

 private:
  explicit EventLoop(Fd epoll) : epoll_(std::move(epoll)) {}
  Fd epoll_{};
  std::vector<Fd> owned_{};
  std::map<int, std::shared_ptr<std::function<void(std::uint32_t)>>> handlers_{};
  bool stopping_ = false;
};

class Timer {
 public:
  Timer(Timer&& other) noexcept;
  Timer& operator=(Timer&& other) noexcept;
  ~Timer();
  /// Fires once, after `in` (at the next opportunity when not above zero); replaces an earlier arm().
  void arm(Duration in) const;
  void disarm() const;

 private:
  friend class EventLoop;
  Timer(EventLoop& loop, Fd fd) : loop_(&loop), fd_(std::move(fd)) {}
  EventLoop* loop_;
  Fd fd_;
};

// Notifies systemd of the agent's state (sd_notify(3)): READY, WATCHDOG, STOPPING, STATUS. No effect without
// NOTIFY_SOCKET.

class Notifier {
 public:
  /// Reads NOTIFY_SOCKET and WATCHDOG_USEC.
  Notifier();
  void ready(std::string_view status) const;
  void watchdog() const;
  void stopping() const;
  /// Half of systemd's watchdog timeout: the longest time between two watchdog() calls. Absent: no watchdog
  /// is set.
  [[nodiscard]] std::optional<Duration> watchdog_period() const { return watchdog_period_; }

 private:
  void send(std::string_view text) const;
  std::string socket_{};
  std::optional<Duration> watchdog_period_{};
};

}  // namespace evenkeel::runtime
