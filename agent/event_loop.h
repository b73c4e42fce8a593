// One epoll, one thread: descriptors, timers and signals all arrive here. Knows nothing of QoS.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "cgroup/fd.h"
#include "cgroup/result.h"
#include "qos/units.h"

namespace evenkeel {

class EventLoop {
 public:
  static Result<EventLoop> open();

  /// Calls `ready` whenever `fd` has one of `events` (EPOLLIN, EPOLLPRI …). The caller keeps owning `fd`.
  Result<> add(int fd, std::uint32_t events, std::function<void(std::uint32_t)> ready);
  void remove(int fd);
  /// Calls `tick` every `period`, with how many periods have passed since the last call (1 when nothing was
  /// late).
  Result<> every(Duration period, std::function<void(std::uint64_t)> tick);
  /// Blocks `signals` for the process and calls `arrived` instead.
  Result<> on_signals(const std::vector<int>& signals, std::function<void(int)> arrived);

  /// Handles events until stop(). Returns the errno of a broken epoll, else 0.
  int run();
  void stop() { stopping_ = true; }

 private:
  explicit EventLoop(Fd epoll) : epoll_(std::move(epoll)) {}
  Fd epoll_{};
  std::vector<Fd> owned_{};
  std::map<int, std::shared_ptr<std::function<void(std::uint32_t)>>> handlers_{};
  bool stopping_ = false;
};

}  // namespace evenkeel
