// How many CPUs there are for us and who used them: the machine's own counters against those of the demo's
// cgroups. Reads only.
#pragma once

#include <optional>
#include <vector>

#include "agent/demo/figures.h"
#include "agent/demo/stage.h"

namespace evenkeel::demo {

/// CPUs that this process may run on.
std::vector<int> usable_cpus();

/// CPU time used since boot by everything on the machine.
std::optional<CpuTime> machine_cpu_time(const Host& host);

struct CpuReading {
  Duration at{};
  CpuTime machine{}, service{}, batch{};
};
std::optional<CpuReading> read_cpu(const Host& host, const Stage& stage);
/// Who used how many CPUs between two readings, of `cpus`.
CpuShares cpu_between(const CpuReading& from, const CpuReading& to, std::size_t cpus);

}  // namespace evenkeel::demo
