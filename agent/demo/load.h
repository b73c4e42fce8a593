// The demo's best-effort hogs, and who used the CPUs.
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

/// CLOCK_MONOTONIC.
Duration monotonic();

/// A fixed amount of computing; the result keeps the compiler from dropping it.
std::uint64_t churn(std::uint64_t iterations, std::uint64_t seed);
/// The number of iterations that take `cost` of undisturbed CPU time on this machine.
std::uint64_t calibrated_iterations(Duration cost);

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

/// CPU time since boot, of all CPUs.
struct MachineTimes {
  CpuTime used{};    ///< by all tasks and interrupts of this machine
  CpuTime stolen{};  ///< by the hypervisor
};
std::optional<MachineTimes> machine_times(const Host& host);

struct CpuReading {
  Duration at{};
  MachineTimes machine{};
  CpuTime service{}, batch{};
};
std::optional<CpuReading> read_cpu(const Host& host, const Stage& stage);
/// The CPUs that each group used between two readings, out of `cpus`.
CpuShares cpu_between(const CpuReading& from, const CpuReading& to, std::size_t cpus);

}  // namespace evenkeel::demo
