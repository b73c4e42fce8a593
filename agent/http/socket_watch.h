// Watches, in the event loop, the sockets that a library opens and closes. Does not know the library.
#pragma once

#include <functional>
#include <set>

#include "agent/runtime/event_loop.h"

namespace evenkeel::http {

struct SocketReady {
  bool to_read = false, to_write = false, broken = false;
};

class SocketWatch {
 public:
  SocketWatch(runtime::EventLoop& loop, std::function<void(int fd, SocketReady)> ready)
      : loop_(loop), ready_(std::move(ready)) {}
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;
  ~SocketWatch();

  /// Sets the events to watch; the socket may be watched already, or be a new one with a reused number.
  void watch(int fd, bool to_read, bool to_write);
  void forget(int fd);

 private:
  runtime::EventLoop& loop_;
  std::function<void(int fd, SocketReady)> ready_;
  std::set<int> watched_{};
};

}  // namespace evenkeel::http
