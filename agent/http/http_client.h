// HTTP requests inside the event loop: any number at a time, none is ever waited for.
// May not: know Kubernetes, or try again.
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
  /// What is under way is dropped without a word.
  ~HttpClient();

  /// Calls `done` once, later, from the loop. It may start and cancel, but not destroy the client.
  Id start(HttpCall call, Done done);
  /// `done`, `line` and `begun` are not called any more. Nothing when it has ended already.
  void cancel(Id id);
  [[nodiscard]] std::size_t in_flight() const;

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::http
