// Runs the HTTP requests in flight through libcurl; the only wrapper of it. Must not be called from inside
// its own callbacks (see in_callback()); HttpClient sees to that.
#pragma once

#include <functional>
#include <memory>

#include "agent/http/http_call.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::http {

class Transfers {
 public:
  struct Callbacks {
    /// Called from inside the library: begin() and cancel() have to wait for returned().
    std::function<void(HttpId)> begun{};
    std::function<void(HttpId, std::string_view)> line{};
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
