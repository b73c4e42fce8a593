#include <sched.h>
#include <sys/prctl.h>

#include <csignal>
#include <numeric>
#include <random>
#include <thread>

#include "agent/demo/load.h"

namespace evenkeel::demo {
namespace {

constexpr Duration kOvertime = std::chrono::seconds(2);

void bind_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  // Fails where a cpuset excludes this CPU: the worker then runs on any allowed CPU.
  (void)::sched_setaffinity(0, sizeof set, &set);
}

// Each worker sleeps on a timer of its own CPU, like a network card's queue: no other CPU has to wake it.
// (Some hypervisors deliver such a wake-up to a busy virtual CPU a whole tick late.)
//
// A machine far too slow for the load would answer for minutes: from `closing` on requests are rejected, with
// their waiting time so far as latency.
void serve(const std::vector<Duration>& schedule, Duration start, Duration closing, std::uint64_t iterations,
           std::span<std::int64_t> latencies) {
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const Duration due = start + schedule[i];
    wait_until(due);
    if (monotonic() < closing) state = churn(iterations, state);
    // The result depends on the work, so the compiler cannot drop it.
    latencies[i] = (monotonic() - due).count() + (state == 0 ? 1 : 0);
  }
}

std::size_t total(const std::vector<std::vector<Duration>>& schedule) {
  return std::accumulate(schedule.begin(), schedule.end(), std::size_t{0},
                         [](std::size_t sum, const auto& one) { return sum + one.size(); });
}

std::vector<std::vector<Duration>> schedule_of(const ServiceLoad& load) {
  std::vector<std::vector<Duration>> schedule;
  for (std::size_t i = 0; i < load.cpus.size(); ++i)
    schedule.push_back(arrivals(load.requests_per_second, load.warm_up + load.length, i + 1));
  return schedule;
}

}  // namespace

std::vector<Duration> arrivals(double per_second, Duration length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> gap(per_second);
  std::vector<Duration> moments;
  double at = gap(random);
  while (at < std::chrono::duration<double>(length).count()) {
    moments.push_back(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(at)));
    at += gap(random);
  }
  return moments;
}

Service::Service(const Stage& stage, const ServiceLoad& load, Duration start)
    : load_(load), schedule_(schedule_of(load)), latencies_(total(schedule_)) {
  if (!latencies_) return;
  const auto serve_all = [&] {
    ::prctl(PR_SET_NAME, "demo-service");
    if (!stage.enter(stage.service())) return 1;
    std::vector<std::thread> workers;
    std::size_t first = 0;
    for (std::size_t i = 0; i < schedule_.size(); ++i) {
      const auto mine = latencies_.all().subspan(first, schedule_[i].size());
      first += schedule_[i].size();
      workers.emplace_back([this, i, mine, start] {
        bind_to(load_.cpus[i]);
        const Duration closing = start + load_.warm_up + load_.length + kOvertime;
        serve(schedule_[i], start, closing, load_.iterations, mine);
      });
    }
    for (auto& worker : workers) worker.join();
    return 0;
  };
  child_ = Child::start(serve_all, SIGKILL);
}

std::vector<Duration> Service::finish() {
  std::vector<Duration> counted;
  if (child_.wait() != 0) return counted;
  std::size_t index = 0;
  for (const auto& moments : schedule_)
    for (const Duration due : moments) {
      const Duration latency(latencies_.all()[index++]);
      if (due >= load_.warm_up) counted.push_back(latency);
    }
  return counted;
}

}  // namespace evenkeel::demo
