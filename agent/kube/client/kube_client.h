// Requests to a Kubernetes server, their errors, and the wait after a failure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/http/http_call.h"
#include "agent/http/http_client.h"
#include "agent/kube/client/access.h"
#include "agent/record/health.h"
#include "agent/runtime/event_loop.h"
#include "qos/model/units.h"

namespace evenkeel::kube {

// Parses a Kubernetes server's error answer: a Status object from the API server, a line of text from the
// kubelet. Does not decide how to react.

/// metav1.Status.
struct KubeStatus {
  std::string reason{};   ///< "NotFound", "Conflict", "TooManyRequests"
  std::string message{};  ///< human-readable
  struct Cause {
    std::string reason{}, message{};
  };
  std::vector<Cause> causes{};  ///< "DisruptionBudget"
};
/// Absent: the body is not a Status.
std::optional<KubeStatus> parse_status(std::string_view body);

/// One human-readable line of bounded length: "403 Forbidden (user=…)", "Connection refused". Empty for a
/// successful reply.
std::string trouble(const http::HttpReply& reply);

// Computes the wait after a failure: longer each time, with jitter so that agents do not retry in step, never
// shorter than Retry-After. Randomness is passed in; without it the waits are exact. Does not read a clock.

/// Returns a number from 0 (included) to 1 (excluded).
using Random = std::function<double()>;
/// Seeded by the kernel; each agent gets another sequence.
Random system_random();

/// `duration` give or take `share` of it: 10 s and 0.1 give 9 s to 11 s. Without randomness: `duration`
/// itself.
Duration jittered(Duration duration, double share, const Random& random);

class Backoff {
 public:
  struct Limits {
    Duration first{std::chrono::seconds(1)};
    Duration longest{std::chrono::seconds(60)};
    double jitter = 0.2;  ///< share of a wait
  };
  Backoff(Limits limits, Random random) : limits_(limits), random_(std::move(random)) {}

  /// Call after each further failure in a row. The server's Retry-After is a lower bound, up to ten minutes.
  Duration next(std::optional<Duration> retry_after = {});
  /// Call after a success.
  void reset() { failures_ = 0; }
  [[nodiscard]] int failures() const { return failures_; }

 private:
  Limits limits_;
  Random random_;
  int failures_ = 0;
};

// Reports trouble with a server when it changes, not each time that it happens. Does not log.

class TroubleReport {
 public:
  explicit TroubleReport(std::function<void(const std::string&)> failed) : failed_(std::move(failed)) {}
  /// `why` empty: there is no trouble any more.
  void update(const std::string& why) {
    if (!why.empty() && why != last_ && failed_) failed_(why);
    last_ = why;
  }

 private:
  std::function<void(const std::string&)> failed_;
  std::string last_{};
};

// Sends requests with credentials to one Kubernetes server, the API server or the kubelet. After a rejected
// token it reads the token again and retries once if it is a new one. Does not block or retry otherwise.

class KubeClient {
 public:
  using Id = std::uint64_t;
  using Done = http::HttpClient::Done;

  /// `loop` and `http` must outlive the client. `name` is for display and metrics.
  static Result<KubeClient> open(runtime::EventLoop& loop, http::HttpClient& http, const KubeAccess& access,
                                 std::string name);
  KubeClient(KubeClient&&) noexcept;
  KubeClient& operator=(KubeClient&&) noexcept;
  /// Cancels the requests in flight.
  ~KubeClient();

  /// Like HttpClient::start(); `call.url` is the path ("/pods"), credentials are added.
  Id start(http::HttpCall call, Done done);
  void cancel(Id id);

  [[nodiscard]] const record::KubeTraffic& traffic() const;
  /// "https://10.0.0.1:443"
  [[nodiscard]] const std::string& server() const;

 private:
  struct Impl;
  explicit KubeClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
