// Computes the wait after a failure: longer each time, with jitter so that agents do not retry in step, never
// shorter than Retry-After. Randomness is passed in; without it the waits are exact. Does not read a clock.
#pragma once

#include <functional>
#include <optional>

#include "qos/model/units.h"

namespace evenkeel::kube {

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

}  // namespace evenkeel::kube
