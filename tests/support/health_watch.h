// Watches a running agent from outside: its ticks, and how soon it answers /healthz.
#pragma once

#include <chrono>
#include <string>

namespace evenkeel::test {

/// A figure of the agent at `url`, as /metrics has it now; -1: it does not answer with it.
long metric_at(const std::string& url, const std::string& series);

struct Watched {
  long ticks = 0, missed = 0;
  int failed = 0;                      ///< looks at /healthz that were not answered with 200
  std::chrono::nanoseconds slowest{};  ///< of these looks
  [[nodiscard]] double slowest_ms() const;
};

/// Looks every 50 ms, for so long.
Watched watch_health(const std::string& url, std::chrono::seconds time);

}  // namespace evenkeel::test
