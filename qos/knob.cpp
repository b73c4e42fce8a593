#include "qos/knob.h"

#include <limits>

namespace evenkeel {
namespace {

constexpr auto kMax = std::numeric_limits<std::int64_t>::max();

// Ranges are the kernel's own: kernel/sched/core.c (quota >= 1 ms, burst >= 0), sched.h (shares 2..262144 on
// v1, weight 1..10000 on v2: the wider one stands here, the writer converts and clamps).
constexpr std::array<KnobRow, kKnobCount> kTable = {{
    {Knob::cpu_quota, "cpu-quota", Controller::cpu, "cpu.cfs_quota_us", "cpu.max", ValueKind::limit,
     Merge::lowest, 1000, kMax, false},
    {Knob::cpu_burst, "cpu-burst", Controller::cpu, "cpu.cfs_burst_us", "cpu.max.burst", ValueKind::number,
     Merge::lowest, 0, kMax, false},
    {Knob::cpu_shares, "cpu-shares", Controller::cpu, "cpu.shares", "cpu.weight", ValueKind::number,
     Merge::first, 1, 262144, false},
    {Knob::cpu_idle, "cpu-idle", Controller::cpu, "cpu.idle", "cpu.idle", ValueKind::number, Merge::first, 0,
     1, false},
    {Knob::cpu_bvt, "cpu-bvt", Controller::cpu, "cpu.bvt_warp_ns", "cpu.bvt_warp_ns", ValueKind::number,
     Merge::first, -1, 2, true},
    {Knob::cpuset_cpus, "cpuset-cpus", Controller::cpuset, "cpuset.cpus", "cpuset.cpus", ValueKind::cpus,
     Merge::first, 0, 0, false},
    // v1 has them on vendor kernels only.
    {Knob::memory_min, "memory-min", Controller::memory, "memory.min", "memory.min", ValueKind::bytes,
     Merge::highest, 0, kMax, true},
    {Knob::memory_low, "memory-low", Controller::memory, "memory.low", "memory.low", ValueKind::bytes,
     Merge::highest, 0, kMax, true},
    {Knob::memory_high, "memory-high", Controller::memory, "memory.high", "memory.high", ValueKind::bytes,
     Merge::lowest, 0, kMax, true},
    {Knob::memory_oom_group, "memory-oom-group", Controller::memory, "memory.oom.group", "memory.oom.group",
     ValueKind::number, Merge::first, 0, 1, true},
}};

constexpr bool rows_in_enum_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (static_cast<std::size_t>(kTable[i].knob) != i) return false;
  return true;
}
static_assert(rows_in_enum_order());

}  // namespace

const std::array<KnobRow, kKnobCount>& knob_table() { return kTable; }

std::string text(const KnobValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* cpus = std::get_if<CpuSet>(&value)) return cpus->text();
  return "unlimited";
}

bool tighter(const KnobValue& a, const KnobValue& b) {
  const auto* left = std::get_if<std::int64_t>(&a);
  const auto* right = std::get_if<std::int64_t>(&b);
  if (left && right) return *left < *right;
  return left && std::holds_alternative<Unlimited>(b);
}

}  // namespace evenkeel
