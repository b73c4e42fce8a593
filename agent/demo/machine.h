// The usable CPUs and their use: the machine's own counters compared with those of the demo's cgroups. Reads
// only.
#pragma once

#include <optional>
#include <vector>

#include "agent/demo/figures.h"
#include "agent/demo/stage.h"

namespace evenkeel::demo {

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
