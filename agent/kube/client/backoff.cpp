#include "agent/kube/client/backoff.h"

#include <algorithm>
#include <memory>
#include <random>

namespace evenkeel::kube {
namespace {

constexpr Duration kMostPatience = std::chrono::minutes(10);
constexpr int kMostDoublings = 20;

Duration times(Duration duration, double factor) {
  return Duration(static_cast<Duration::rep>(static_cast<double>(duration.count()) * factor));
}

}  // namespace

Random system_random() {
  std::random_device seed;
  auto engine = std::make_shared<std::mt19937>(seed());
  return [engine] { return std::uniform_real_distribution<double>(0, 1)(*engine); };
}

Duration jittered(Duration duration, double share, const Random& random) {
  return random ? times(duration, 1 + share * (2 * random() - 1)) : duration;
}

Duration Backoff::next(std::optional<Duration> retry_after) {
  const int doublings = std::min(failures_++, kMostDoublings);
  const Duration wait = std::min(limits_.first * (std::int64_t{1} << doublings), limits_.longest);
  const Duration mine = jittered(wait, limits_.jitter, random_);
  if (!retry_after) return mine;
  // Clients that were rejected together must not return together.
  const Duration requested = std::min(*retry_after, kMostPatience);
  return std::max(mine, random_ ? times(requested, 1 + limits_.jitter * random_()) : requested);
}

}  // namespace evenkeel::kube
