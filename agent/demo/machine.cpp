#include "agent/demo/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "agent/demo/work.h"
#include "cgroup/base/text.h"

namespace evenkeel::demo {

std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

// user, nice, system, then idle and iowait (unused time), then irq and softirq. Steal time was not used by
// this machine, and guest time is contained in user and nice.
std::optional<CpuTime> machine_cpu_time(const Host& host) {
  const auto text = host.slurp("proc/stat");
  if (!text) return std::nullopt;
  Scanner scan(*text);
  if (!scan.eat("cpu ")) return std::nullopt;
  constexpr int kIdle = 3, kIowait = 4, kFields = 7;
  std::int64_t ticks = 0;
  for (int field = 0; field < kFields; ++field) {
    const auto value = scan.number();
    if (!value) return std::nullopt;
    if (field != kIdle && field != kIowait) ticks += *value;
  }
  return CpuTime(scaled(ticks, 1'000'000'000, ::sysconf(_SC_CLK_TCK)));
}

std::optional<CpuReading> read_cpu(const Host& host, const Stage& stage) {
  const auto machine = machine_cpu_time(host);
  const auto service = stage.service_cpu_time();
  const auto batch = stage.batch_cpu_time();
  if (!machine || !service || !batch) return std::nullopt;
  return CpuReading{monotonic(), *machine, *service, *batch};
}

CpuShares cpu_between(const CpuReading& from, const CpuReading& to, std::size_t cpus) {
  const auto wall = static_cast<double>((to.at - from.at).count());
  if (wall <= 0) return {};
  const auto used = [wall](CpuTime before, CpuTime after) {
    return static_cast<double>((after - before).count()) / wall;
  };
  CpuShares shares;
  shares.service = used(from.service, to.service);
  shares.batch = used(from.batch, to.batch);
  const double machine = used(from.machine, to.machine);
  // The machine's counter advances in ticks, the cgroups' in nanoseconds: differences may be slightly
  // negative.
  shares.others = std::max(0.0, machine - shares.service - shares.batch);
  shares.idle = std::max(0.0, static_cast<double>(cpus) - shares.service - shares.batch - shares.others);
  return shares;
}

}  // namespace evenkeel::demo
