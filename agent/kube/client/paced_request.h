// The waiting that all repeated requests to a Kubernetes server share: one request in flight at a time,
// started by a timer, and never before the pause that an earlier answer caused is over. Does not decide what
// is requested.
#pragma once

#include <functional>
#include <optional>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"

namespace evenkeel::kube {

class PacedRequest {
 public:
  struct Pace {
    Duration min_interval{std::chrono::seconds(1)};
    Duration longest_wait{std::chrono::minutes(1)};  ///< after failures
  };
  /// `api` and `clock` must outlive it.
  PacedRequest(KubeClient& api, const runtime::Clock& clock, Random random, Pace pace);
  PacedRequest(const PacedRequest&) = delete;
  PacedRequest& operator=(const PacedRequest&) = delete;
  /// Cancels the request in flight; what it asked for may have happened.
  ~PacedRequest();

  /// Creates the timer, which calls `on_due` at the time given to start_at(). Must succeed before any other
  /// call.
  Result<void> open(runtime::EventLoop& loop, std::function<void()> on_due);
  /// Calls `on_due` at `due`, or when the pause is over if that is later. Replaces an earlier time.
  void start_at(MonoTime due);
  void send(http::HttpCall call, KubeClient::Done take);
  [[nodiscard]] bool in_flight() const { return in_flight_.has_value(); }

  /// No request starts before `end`.
  void pause_until(MonoTime end) { pause_end_ = end; }
  /// The wait after one more failure in a row, at least `retry_after`.
  Duration next_wait(std::optional<Duration> retry_after) { return backoff_.next(retry_after); }
  /// The last answer was usable: the next failure is the first.
  void succeeded() { backoff_.reset(); }

 private:
  KubeClient& api_;
  const runtime::Clock& clock_;
  Backoff backoff_;
  std::optional<runtime::Timer> timer_{};
  std::optional<KubeClient::Id> in_flight_{};
  MonoTime pause_end_{};
};

}  // namespace evenkeel::kube
