// Transfers through libcurl, and the watch on its sockets.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include "agent/http/http_call.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::http {

// Watches, in the event loop, the sockets that a library opens and closes. Does not know the library.

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

// Runs the HTTP requests in flight through libcurl; the only wrapper of it. Must not be called from inside
// its own callbacks (see in_callback()); HttpClient sees to that.

class Transfers {
 public:
  struct Callbacks {
    /// Called from inside the library: begin() and cancel() have to wait for returned().
    std::function<void(HttpId)> begun{};
    std::function<void(HttpId, std::string_view)> line{};
    std::function<bool(HttpId, std::string_view)> piece{};
    std::function<void()> returned{};
    std::function<void(HttpId, HttpReply)> ended{};
  };
  static Result<std::unique_ptr<Transfers>> open(runtime::EventLoop& loop, Callbacks takers);
  ~Transfers();

  /// `call` must keep its address until the request has ended or was cancelled.
  void begin(HttpId id, const HttpCall& call);
  void cancel(HttpId id);
  [[nodiscard]] bool in_callback() const;

 private:
  struct Impl;
  explicit Transfers(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::http
