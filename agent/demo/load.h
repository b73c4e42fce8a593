// The demo's load, the latency-sensitive service and the best-effort hogs, and who used the CPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/demo/process.h"
#include "agent/demo/report.h"
#include "agent/demo/stage.h"
#include "qos/model/units.h"

namespace evenkeel::demo {

// The demo's computing work for requests and hogs, and its clock. Does not touch memory or files.

/// CLOCK_MONOTONIC, and waiting for a time on it.
Duration monotonic();
void wait_until(Duration moment);

/// A fixed amount of computing; the result keeps the compiler from dropping it.
std::uint64_t churn(std::uint64_t iterations, std::uint64_t seed);
/// The number of iterations that take `cost` of undisturbed CPU time on this machine.
std::uint64_t calibrated_iterations(Duration cost);

// The latency-sensitive service: one worker per CPU, each with its own stream of requests, like the queues of
// a network card. The load is open-loop: all arrival times are fixed in advance, a request that arrives while
// another is served waits, and its latency counts from its scheduled arrival.

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

// Best-effort hogs: real processes in the batch containers that use all the CPU they get, by computing or by
// a storm of page faults, and count their work.

class Hogs {
 public:
  Hogs(const Stage& stage, Scenario scenario, int count);
  /// Whether all hogs are running.
  [[nodiscard]] bool running();
  /// Work done so far: rounds of computing, or touched pages.
  [[nodiscard]] std::uint64_t work() const;

 private:
  /// On its own cache line, so that counting does not slow the other hogs.
  struct alignas(64) Counter {
    std::uint64_t work = 0;
  };
  Shared<Counter> counters_;
  std::vector<Child> children_{};
};

// The usable CPUs and their use: the machine's own counters compared with those of the demo's cgroups. Reads
// only.

/// CPUs that this process may run on.
std::vector<int> usable_cpus();

/// CPU time used since boot by all tasks of the machine.
std::optional<CpuTime> machine_cpu_time(const Host& host);

struct CpuReading {
  Duration at{};
  CpuTime machine{}, service{}, batch{};
};
std::optional<CpuReading> read_cpu(const Host& host, const Stage& stage);
/// The CPUs that each group used between two readings, out of `cpus`.
CpuShares cpu_between(const CpuReading& from, const CpuReading& to, std::size_t cpus);

}  // namespace evenkeel::demo
