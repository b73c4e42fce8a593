#include "qos/model/knob.h"

#include <limits>

#include "qos/model/plain_settings.h"

namespace evenkeel {
namespace {

constexpr auto kMax = std::numeric_limits<std::int64_t>::max();

constexpr KnobRow on_both(Knob knob, std::string_view name, std::string_view file, std::int64_t lowest,
                          std::int64_t highest, std::int64_t initial = 0) {
  return {knob, name,   Controller::memory, file, file, ValueKind::number, Merge::first, lowest, highest,
          true, initial};
}
constexpr KnobRow on_v2(Knob knob, std::string_view name, std::string_view file, std::int64_t highest) {
  return {knob, name, Controller::memory, "", file, ValueKind::number, Merge::first, 0, highest, true};
}
constexpr KnobRow on_disk(Knob knob, std::string_view name, std::string_view v1, std::string_view v2,
                          std::int64_t highest, bool vendor = false) {
  return {knob,          name, Controller::blkio, v1,     v2,       ValueKind::disk,
          Merge::lowest, 1,    highest,           vendor, kPlainMax};
}
constexpr KnobRow cost_line(Knob knob, std::string_view name, std::string_view v1, std::string_view v2) {
  return {knob, name, Controller::blkio, v1, v2, ValueKind::line, Merge::first, 0, 0,
          true, 0,    "sys/fs/cgroup"};
}
constexpr KnobRow of_node(Knob knob, std::string_view name, std::string_view dir, std::string_view file,
                          std::int64_t lowest, std::int64_t highest, bool vendor = false) {
  return {knob,    name,   Controller::cpu,         file, file, ValueKind::number, Merge::first, lowest,
          highest, vendor, lowest > 0 ? lowest : 0, dir};
}

// Ranges are the kernel's own: kernel/sched/core.c (quota >= 1 ms, burst >= 0), sched.h (shares 2..262144 on
// v1, weight 1..10000 on v2: the wider one stands here, the writer converts and clamps).
constexpr std::array<KnobRow, kKnobCount> kTable = {{
    {Knob::cpu_quota, "cpu-quota", Controller::cpu, "cpu.cfs_quota_us", "cpu.max", ValueKind::limit,
     Merge::lowest, 1000, kMax},
    {Knob::cpu_burst, "cpu-burst", Controller::cpu, "cpu.cfs_burst_us", "cpu.max.burst", ValueKind::number,
     Merge::lowest, 0, kMax},
    {Knob::cpu_shares, "cpu-shares", Controller::cpu, "cpu.shares", "cpu.weight", ValueKind::number,
     Merge::first, 1, 262144},
    {Knob::cpu_idle, "cpu-idle", Controller::cpu, "cpu.idle", "cpu.idle", ValueKind::number, Merge::first, 0,
     1},
    {Knob::cpuset_cpus, "cpuset-cpus", Controller::cpuset, "cpuset.cpus", "cpuset.cpus", ValueKind::cpus,
     Merge::first, 0, 0},
    {Knob::cpu_bvt, "cpu-bvt", Controller::cpu, "cpu.bvt_warp_ns", "cpu.bvt_warp_ns", ValueKind::number,
     Merge::first, -1, 2, true},
    // v1 has them on vendor kernels only.
    {Knob::memory_min, "memory-min", Controller::memory, "memory.min", "memory.min", ValueKind::bytes,
     Merge::highest, 0, kMax, true},
    {Knob::memory_low, "memory-low", Controller::memory, "memory.low", "memory.low", ValueKind::bytes,
     Merge::highest, 0, kMax, true},
    {Knob::memory_high, "memory-high", Controller::memory, "memory.high", "memory.high", ValueKind::bytes,
     Merge::lowest, 0, kMax, true, kPlainMax},
    {Knob::memory_limit, "memory-limit", Controller::memory, "memory.limit_in_bytes", "memory.max",
     ValueKind::bytes, Merge::lowest, 0, kMax, false, kPlainMax},
    on_both(Knob::memory_oom_group, "memory-oom-group", "memory.oom.group", 0, 1),
    // Of vendor kernels (Anolis) only.
    on_both(Knob::memory_wmark_ratio, "memory-wmark-ratio", "memory.wmark_ratio", 0, 100),
    on_both(Knob::memory_wmark_scale_factor, "memory-wmark-scale-factor", "memory.wmark_scale_factor", 1,
            1000, 50),
    on_both(Knob::memory_wmark_min_adj, "memory-wmark-min-adj", "memory.wmark_min_adj", -25, 50),
    on_both(Knob::memory_priority, "memory-priority", "memory.priority", 0, 12),
    on_both(Knob::memory_use_priority_oom, "memory-use-priority-oom", "memory.use_priority_oom", 0, 1),
    on_v2(Knob::page_cache_limit_enable, "page-cache-limit-enable", "memory.pagecache_limit.enable", 1),
    on_v2(Knob::page_cache_limit_size, "page-cache-limit-size", "memory.pagecache_limit.size", kMax),
    on_v2(Knob::page_cache_limit_sync, "page-cache-limit-sync", "memory.pagecache_limit.sync", 1),
    // mm/page_alloc.c and kernel/sysctl.c; the last four of vendor kernels.
    of_node(Knob::min_free_kbytes, "min-free-kbytes", "proc/sys/vm", "min_free_kbytes", 0, INT32_MAX),
    of_node(Knob::watermark_scale_factor, "watermark-scale-factor", "proc/sys/vm", "watermark_scale_factor",
            1, 3000),
    of_node(Knob::memcg_reap_background, "memcg-reap-background", "sys/kernel/mm/memcg_reaper",
            "reap_background", 0, 1, true),
    of_node(Knob::sched_group_identity_enabled, "sched-group-identity-enabled", "proc/sys/kernel",
            "sched_group_identity_enabled", 0, 1, true),
    of_node(Knob::sched_idle_saver_wmark, "sched-idle-saver-wmark", "proc/sys/kernel",
            "sched_idle_saver_wmark", INT64_MIN, kMax, true),
    of_node(Knob::page_cache_limit_enabled, "page-cache-limit-enabled", "sys/kernel/mm/pagecache_limit",
            "enabled", 0, 1, true),
    cost_line(Knob::io_cost_qos, "io-cost-qos", "blkio.cost.qos", "io.cost.qos"),
    cost_line(Knob::io_cost_model, "io-cost-model", "blkio.cost.model", "io.cost.model"),
    // block/blk-throttle.c (operations are counted in 32 bits), blk-iocost.c, bfq-cgroup.c.
    on_disk(Knob::io_read_bps, "io-read-bps", "blkio.throttle.read_bps_device", "io.max:rbps", kMax - 1),
    on_disk(Knob::io_write_bps, "io-write-bps", "blkio.throttle.write_bps_device", "io.max:wbps", kMax - 1),
    on_disk(Knob::io_read_iops, "io-read-iops", "blkio.throttle.read_iops_device", "io.max:riops",
            UINT32_MAX - 1),
    on_disk(Knob::io_write_iops, "io-write-iops", "blkio.throttle.write_iops_device", "io.max:wiops",
            UINT32_MAX - 1),
    on_disk(Knob::io_weight, "io-weight", "blkio.cost.weight", "io.weight", 10000, true),
    on_disk(Knob::io_bfq_weight, "io-bfq-weight", "blkio.bfq.weight_device", "io.bfq.weight", 1000, true),
    // block/blk-iolatency.c: microseconds, kept as nanoseconds in 64 bits.
    on_disk(Knob::io_latency, "io-latency", "", "io.latency:target", kMax / 1000, true),
}};

constexpr bool rows_in_enum_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (static_cast<std::size_t>(kTable[i].knob) != i) return false;
  return true;
}
static_assert(rows_in_enum_order());

}  // namespace

const std::array<KnobRow, kKnobCount>& knob_table() { return kTable; }

const PlainNumbers& initial_numbers() {
  static constexpr PlainNumbers kNumbers = [] {
    PlainNumbers out{};
    for (const auto& lever : kTable)
      if (is_plain(lever.knob)) out[plain_index(lever.knob)] = lever.initial;
    return out;
  }();
  return kNumbers;
}

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
