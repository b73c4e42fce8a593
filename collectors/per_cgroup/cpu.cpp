#include "cgroup/base/text.h"
#include "collectors/per_cgroup/reading.h"

namespace evenkeel::per_cgroup {
namespace {

using Number = std::optional<std::int64_t>;

Number nanoseconds(std::int64_t microseconds) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(microseconds, 1000, &out)) return std::nullopt;
  return out;
}

/// v1 reports nanoseconds in ..._time, v2 microseconds in ..._usec.
struct CpuStat {
  Number use_ns, system_ns, periods, throttled_periods, throttled_ns, bursts, burst_ns;
};

CpuStat parse_cpu_stat(std::string_view text) {
  CpuStat out;
  for_each_key(text, [&](std::string_view key, std::int64_t value) {
    if (key == "usage_usec")
      out.use_ns = nanoseconds(value);
    else if (key == "system_usec")
      out.system_ns = nanoseconds(value);
    else if (key == "nr_periods")
      out.periods = value;
    else if (key == "nr_throttled")
      out.throttled_periods = value;
    else if (key == "throttled_time")
      out.throttled_ns = value;
    else if (key == "throttled_usec")
      out.throttled_ns = nanoseconds(value);
    else if (key == "nr_bursts")
      out.bursts = value;
    else if (key == "burst_time")
      out.burst_ns = value;
    else if (key == "burst_usec")
      out.burst_ns = nanoseconds(value);
  });
  return out;
}

std::optional<Throttling> throttling_since(const CpuStat& stat, CgroupMemory& memory) {
  const auto periods = memory.periods.increase_to(stat.periods);
  const auto throttled = memory.throttled_periods.increase_to(stat.throttled_periods);
  const auto time = memory.throttled_time.increase_to(stat.throttled_ns);
  const auto bursts = memory.bursts.increase_to(stat.bursts);
  const auto burst_time = memory.burst_time.increase_to(stat.burst_ns);
  if (!periods || !throttled || !time) return std::nullopt;
  // Kernels before 5.14 have no burst: 0 is correct there.
  return Throttling{*periods, *throttled, Duration(*time), bursts.value_or(0),
                    Duration(burst_time.value_or(0))};
}

void set_use(Number use_ns, CgroupReading& reading) {
  const auto used = reading.memory.cpu_time.increase_to(use_ns);
  reading.sample.cpu_use.reset();
  if (used && reading.since_previous) reading.sample.cpu_use = rate(CpuTime(*used), *reading.since_previous);
}

void set_system(Number system_ns, CgroupReading& reading) {
  reading.sample.system_time =
      system_ns && *system_ns >= 0 ? std::optional(Duration(*system_ns)) : std::nullopt;
}

CpuStat stat_of(Text text) { return text ? parse_cpu_stat(*text) : CpuStat{}; }

}  // namespace

void parse_cpuacct_usage(Text text, CgroupReading& reading) {
  set_use(text ? whole_number(*text) : std::nullopt, reading);
}

void parse_cpuacct_stat(Text text, CgroupReading& reading) {
  constexpr std::int64_t kTickNs = 10'000'000;  // USER_HZ is 100 on every supported architecture
  Number system_ns;
  for_each_key(text.value_or(std::string_view()), [&](std::string_view key, std::int64_t value) {
    std::int64_t time = 0;
    if (key == "system" && !__builtin_mul_overflow(value, kTickNs, &time)) system_ns = time;
  });
  set_system(system_ns, reading);
}

void parse_cpu_stat_v1(Text text, CgroupReading& reading) {
  reading.sample.throttling = throttling_since(stat_of(text), reading.memory);
}

void parse_cpu_stat_v2(Text text, CgroupReading& reading) {
  const auto stat = stat_of(text);
  set_use(stat.use_ns, reading);
  set_system(stat.system_ns, reading);
  reading.sample.throttling = throttling_since(stat, reading.memory);
}

}  // namespace evenkeel::per_cgroup
