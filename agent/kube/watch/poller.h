// Repeats one request: at an interval with jitter, later after a failure, sooner when something new is
// expected. One request at a time, at most one a second. Does not interpret the answer.
#pragma once

#include <functional>
#include <memory>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

class Poller {
 public:
  struct Options {
    http::HttpCall call{};  ///< its url is the path
    Duration interval{std::chrono::seconds(10)};
    double jitter = 0.1;                              ///< share of the interval
    Duration min_interval{std::chrono::seconds(1)};   ///< between the starts of two requests
    Duration longest_wait{std::chrono::seconds(60)};  ///< after failures
  };
  /// Takes the answer; false: it was not usable, which counts as a failure.
  using OnReply = std::function<bool(http::HttpReply)>;

  /// `loop`, `client` and `clock` must outlive it. The first request starts as soon as the loop runs.
  static Result<Poller> open(runtime::EventLoop& loop, KubeClient& client, const runtime::Clock& clock,
                             Random random, Options options, OnReply take);
  Poller(Poller&&) noexcept;
  Poller& operator=(Poller&&) noexcept;
  ~Poller();

  /// The last answer is known to be outdated: polls as soon as allowed and keeps to the shortest interval for
  /// `how_long`, since answers lag behind.
  void poll_soon(Duration how_long);

 private:
  struct Impl;
  explicit Poller(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
