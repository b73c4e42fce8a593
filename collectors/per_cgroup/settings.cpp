#include <chrono>

#include "cgroup/base/text.h"
#include "cgroup/kernel/knob_files.h"
#include "collectors/per_cgroup/reading.h"

namespace evenkeel::per_cgroup {
namespace {

std::optional<KnobValue> value_of(Knob knob, Text text, const CgroupReading& reading) {
  return text ? kernel::parse_value(knob, *text, reading.layout) : std::nullopt;
}

std::optional<std::int64_t> number_of(Knob knob, Text text, const CgroupReading& reading) {
  const auto value = value_of(knob, text, reading);
  const auto* number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
  return number ? std::optional(*number) : std::nullopt;
}

std::optional<CpuSet> cpus_of(Text text, const CgroupReading& reading) {
  const auto value = value_of(Knob::cpuset_cpus, text, reading);
  const auto* cpus = value ? std::get_if<CpuSet>(&*value) : nullptr;
  return cpus ? std::optional(*cpus) : std::nullopt;
}

/// The kernel accepts 1 ms to 1 s; anything else is not a period.
std::optional<Duration> period_of(std::optional<std::int64_t> microseconds) {
  if (!microseconds || *microseconds < 1000 || *microseconds > 1'000'000) return std::nullopt;
  return std::chrono::microseconds(*microseconds);
}

std::optional<Duration> period_in_cpu_max(std::string_view text) {
  Scanner scan(text);
  scan.word();
  return period_of(scan.number());
}

}  // namespace

void parse_cfs_period(Text text, CgroupReading& reading) {
  reading.memory.quota_period = period_of(text ? whole_number(*text) : std::nullopt);
}

void parse_cpu_limit(Text text, CgroupReading& reading) {
  auto& limit = reading.sample.applied.cpu_limit;
  limit.reset();
  const auto value = value_of(Knob::cpu_quota, text, reading);
  const auto period =
      reading.layout.v2(Controller::cpu) && text ? period_in_cpu_max(*text) : reading.memory.quota_period;
  if (!value || !period) return;
  limit = CpuLimit{.quota = {}, .period = *period};
  if (const auto* quota = std::get_if<std::int64_t>(&*value)) limit->quota = QuotaTime(*quota);
}

void parse_cpu_burst(Text text, CgroupReading& reading) {
  const auto burst = number_of(Knob::cpu_burst, text, reading);
  reading.sample.applied.cpu_burst = burst && *burst >= 0 ? std::optional(QuotaTime(*burst)) : std::nullopt;
}

void parse_cpu_shares(Text text, CgroupReading& reading) {
  reading.sample.applied.cpu_shares = number_of(Knob::cpu_shares, text, reading);
}

void parse_cpu_idle(Text text, CgroupReading& reading) {
  reading.sample.applied.cpu_idle = number_of(Knob::cpu_idle, text, reading);
}

void parse_cpus(Text text, CgroupReading& reading) { reading.sample.applied.cpus = cpus_of(text, reading); }

void parse_plain(Knob knob, Text text, CgroupReading& reading) {
  const auto value = value_of(knob, text, reading);
  reading.sample.applied.plain.set(knob, value ? std::optional(plain_number(*value)) : std::nullopt);
}

void parse_cpus_effective(Text text, CgroupReading& reading) {
  reading.sample.applied.cpus_effective = cpus_of(text, reading);
}

}  // namespace evenkeel::per_cgroup
