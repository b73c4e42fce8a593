// The vocabulary of levers: one row per lever, and the row is all that any room needs to know about it.
// May not: touch a file. cgroup/kernel/knob_files.cpp turns a row's file names into reads and writes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "qos/model/cpu_set.h"

namespace evenkeel {

enum class Knob : std::uint8_t {
  cpu_quota,
  cpu_burst,
  cpu_shares,
  cpu_idle,
  cpuset_cpus,
  // From here on the plain ones: one number each, that no other lever binds.
  cpu_bvt,
  memory_min,
  memory_low,
  memory_high,
  memory_limit,
  memory_oom_group,
  memory_wmark_ratio,
  memory_wmark_scale_factor,
  memory_wmark_min_adj,
  memory_priority,
  memory_use_priority_oom,
  page_cache_limit_enable,
  page_cache_limit_size,
  page_cache_limit_sync,
  // Levers of the node itself (kNodeItself).
  min_free_kbytes,
  watermark_scale_factor,
  memcg_reap_background,
  sched_group_identity_enabled,
  sched_idle_saver_wmark,
  page_cache_limit_enabled,
  // The same, with a line per disk; the hand for it is cgroup/iocost/cost_writer.h.
  io_cost_qos,
  io_cost_model,
  // Levers of a cgroup on one disk (CgroupId::disk).
  io_read_bps,
  io_write_bps,
  io_read_iops,
  io_write_iops,
  io_weight,
  io_bfq_weight,
  io_latency,
};
inline constexpr std::size_t kKnobCount = 34;
inline constexpr Knob kFirstPlain = Knob::cpu_bvt;

/// A bit per knob.
using KnobBits = std::uint64_t;
static_assert(kKnobCount <= 64);
constexpr KnobBits knob_bit(Knob knob) { return KnobBits{1} << static_cast<unsigned>(knob); }

/// How two wishes for one (cgroup, knob) become one.
enum class Merge : std::uint8_t {
  lowest,   ///< the tighter limit wins
  highest,  ///< the stronger protection wins
  first,    ///< the policy that stands first in the registry wins
};

/// What the text of a value looks like.
enum class ValueKind : std::uint8_t {
  number,  ///< one integer
  limit,   ///< one integer or "unlimited" (-1 on v1, max on v2)
  cpus,    ///< a CPU list
  bytes,   ///< whole pages, or "max"
  line,    ///< the words of one disk's line: no value for a plan
  disk,    ///< one number of one disk's line, or none of its own (as "unlimited")
};

enum class Controller : std::uint8_t { cpu, cpuacct, cpuset, memory, blkio, perf_event };
inline constexpr std::size_t kControllerCount = 6;

struct KnobRow {
  Knob knob;
  std::string_view name;  ///< in logs, metrics and explain
  Controller controller;
  /// Empty: v1 has no such lever. "io.max:rbps": the part rbps of a disk's line in io.max.
  std::string_view v1_file;
  std::string_view v2_file;  ///< empty: v2 has no such lever
  ValueKind kind;
  Merge merge;
  std::int64_t lowest, highest;  ///< legal numbers, both included (unlimited apart)
  bool vendor = false;           ///< not on every mainline kernel: its absence is no news
  std::int64_t initial = 0;      ///< what a new cgroup has; of plain knobs
  std::string_view node_dir{};   ///< not empty: no cgroup's file, but this directory's, below the host root
};

/// The table, in the order of the enum.
const std::array<KnobRow, kKnobCount>& knob_table();
inline const KnobRow& row(Knob knob) { return knob_table()[static_cast<std::size_t>(knob)]; }
/// Whether it is a lever of the node itself: its directory lives as long as the kernel.
inline bool is_of_node(Knob knob) { return !row(knob).node_dir.empty(); }
/// Whether it is a lever of a cgroup on one disk.
inline bool is_of_disk(Knob knob) { return row(knob).kind == ValueKind::disk; }
/// Whether its file has a line per disk.
inline bool has_disk_lines(Knob knob) { return is_of_disk(knob) || row(knob).kind == ValueKind::line; }

struct Unlimited {
  bool operator==(const Unlimited&) const = default;
};
/// "max" of a plain knob, as a number.
inline constexpr std::int64_t kPlainMax = INT64_MAX;
/// A value of any lever. cpu_quota counts microseconds per the cgroup's own period.
using KnobValue = std::variant<std::int64_t, Unlimited, CpuSet>;

/// For people: "150000", "unlimited", "0-3".
std::string text(const KnobValue& value);
/// a < b as limits: unlimited is above every number. CPU sets do not compare (false).
bool tighter(const KnobValue& a, const KnobValue& b);

}  // namespace evenkeel
