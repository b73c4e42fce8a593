// Transfers through libcurl, the watch on its sockets, and what has arrived of an answer.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include "agent/http/http_client.h"
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

// A URL's host and port as libcurl connects to them, so that no other reading of the URL is checked.

struct Place {
  std::string host{};  ///< an address in its usual form ("127.1" is "127.0.0.1"), IPv6 in brackets
  std::string port{};  ///< the scheme's default if not given
};
/// Absent: no URL, or one with a user name.
std::optional<Place> place_of(const std::string& url);

// What has arrived of one answer. Does not know the library.

class Arrival {
 public:
  HttpReply reply{};

  struct Receiver {
    std::function<void(std::string_view)> line{};
    std::function<bool(std::string_view)> piece{};  ///< false: the rest is not wanted
  };
  /// `call` must outlive it.
  Arrival(const HttpCall& call, Receiver to)
      : call_(call), to_(std::move(to)), lines_(call.longest_body), longest_(call.longest_body) {}

  /// Whether an answer with this status is passed on while it arrives. That of another one is kept: it says
  /// what went wrong.
  [[nodiscard]] bool streams(long status) const {
    return (call_.line || call_.piece) && status >= 200 && status < 300;
  }
  /// Passes a piece of the body on (`streamed`), or adds it to the reply. False: the answer is longer than
  /// its request allows, or not wanted.
  bool take(std::string_view piece, bool streamed);
  /// At the end. A number that is no status is a failure: the library takes one of any length.
  void take_status(long status);
  /// Why it broke off; empty where the library's own text says it better.
  [[nodiscard]] std::string sentence() const;

 private:
  HttpFailure pass_on(std::string_view piece, bool streamed);

  const HttpCall& call_;
  Receiver to_;
  LineJoiner lines_;
  std::size_t longest_;        ///< bytes that this answer may have, or a line of it
  std::size_t passed_on_ = 0;  ///< bytes
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
