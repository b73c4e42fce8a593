#include "agent/demo/work.h"

#include <algorithm>
#include <ctime>

namespace evenkeel::demo {
namespace {

Duration clock_of(clockid_t id) {
  timespec now{};
  ::clock_gettime(id, &now);
  return std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec);
}

}  // namespace

Duration monotonic() { return clock_of(CLOCK_MONOTONIC); }

void wait_until(Duration moment) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(moment);
  const timespec at{static_cast<time_t>(seconds.count()), static_cast<long>((moment - seconds).count())};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) != 0) {
  }
}

std::uint64_t churn(std::uint64_t iterations, std::uint64_t seed) {
  std::uint64_t x = seed | 1;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

std::uint64_t calibrated_iterations(Duration cost) {
  constexpr std::uint64_t kSample = 200'000;
  constexpr int kAttempts = 30;
  Duration best = Duration::max();
  std::uint64_t seed = 1;
  for (int i = 0; i < kAttempts; ++i) {
    const Duration before = clock_of(CLOCK_THREAD_CPUTIME_ID);
    seed = churn(kSample, seed);
    best = std::min(best, clock_of(CLOCK_THREAD_CPUTIME_ID) - before);
  }
  const auto iterations =
      scaled(static_cast<std::int64_t>(kSample), cost.count(), std::max<std::int64_t>(best.count(), 1));
  return static_cast<std::uint64_t>(iterations) + (seed == 0 ? 1 : 0);
}

}  // namespace evenkeel::demo
