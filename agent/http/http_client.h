// Runs HTTP requests inside the event loop: any number at a time, none blocks. Does not know Kubernetes and
// does not retry.
#pragma once

#include <functional>
#include <memory>

#include "agent/http/http_call.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::http {

class HttpClient {
 public:
  using Id = HttpId;
  using Done = std::function<void(HttpReply)>;

  /// `loop` must outlive the client.
  static Result<HttpClient> open(runtime::EventLoop& loop);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  /// Drops requests in flight without calling `done`.
  ~HttpClient();

  /// Calls `done` once, later, from the loop. `done` may start and cancel requests, but not destroy the
  /// client.
  Id start(HttpCall call, Done done);
  /// `done`, `line` and `begun` are not called any more. No effect on a request that has ended.
  void cancel(Id id);
  [[nodiscard]] std::size_t in_flight() const;

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::http
