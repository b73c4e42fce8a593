// The latency-sensitive service: one worker per CPU, each with its own stream of requests, like the queues of
// a network card. The load is open-loop: all arrival times are fixed in advance, a request that arrives while
// another is served waits, and its latency counts from its scheduled arrival.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/demo/child.h"
#include "agent/demo/stage.h"
#include "qos/model/units.h"

namespace evenkeel::demo {

struct ServiceLoad {
  std::vector<int> cpus{};                           ///< one worker is bound to each
  double requests_per_second = 400;                  ///< to each worker
  std::uint64_t iterations = 0;                      ///< of one request
  Duration warm_up{std::chrono::milliseconds(300)};  ///< requests in it are served, not counted
  Duration length{};                                 ///< of the counted part
};

/// Arrival times from zero on, a Poisson process, the same for the same seed in every phase.
std::vector<Duration> arrivals(double per_second, Duration length, std::uint64_t seed);

class Service {
 public:
  /// Starts the server inside the stage's service container; requests begin at `start`.
  Service(const Stage& stage, const ServiceLoad& load, Duration start);
  [[nodiscard]] bool started() const { return static_cast<bool>(child_); }
  /// Waits until every request is answered; returns the latencies of the counted ones. Empty when the server
  /// failed.
  std::vector<Duration> finish();

 private:
  ServiceLoad load_;
  std::vector<std::vector<Duration>> schedule_{};  ///< per worker
  Shared<std::int64_t> latencies_;                 ///< nanoseconds, the workers one after another
  Child child_{};
};

}  // namespace evenkeel::demo
