#include "tests/support/health_watch.h"

#include <algorithm>
#include <thread>

#include "agent/http/http_client.h"
#include "tests/support/metrics_page.h"

namespace evenkeel::test {

using Clock = std::chrono::steady_clock;

long metric_at(const std::string& url, const std::string& series) {
  return static_cast<long>(metric(http::http_get(url + "/metrics").body, series));
}

double Watched::slowest_ms() const { return std::chrono::duration<double, std::milli>(slowest).count(); }

Watched watch_health(const std::string& url, std::chrono::seconds time) {
  const long ticks = metric_at(url, "evenkeel_ticks_total"),
             missed = metric_at(url, "evenkeel_missed_ticks_total");
  Watched out;
  for (const auto end = Clock::now() + time; Clock::now() < end;
       std::this_thread::sleep_for(std::chrono::milliseconds(50))) {
    const auto from = Clock::now();
    out.failed += http::http_get(url + "/healthz").status == 200 ? 0 : 1;
    out.slowest = std::max(out.slowest, std::chrono::nanoseconds(Clock::now() - from));
  }
  out.ticks = metric_at(url, "evenkeel_ticks_total") - ticks;
  out.missed = metric_at(url, "evenkeel_missed_ticks_total") - missed;
  return out;
}

}  // namespace evenkeel::test
