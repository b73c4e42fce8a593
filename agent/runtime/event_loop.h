// A single-threaded event loop over one epoll for descriptors, timers and signals. Does not know QoS.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "cgroup/base/result.h"
#include "qos/model/units.h"

namespace evenkeel::runtime {

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

}  // namespace evenkeel::runtime
