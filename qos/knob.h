// The vocabulary of levers: one row per lever, and the row is all that any room needs to know about it.
// May not: touch a file. cgroup/knob_files.cpp turns a row's file names into reads and writes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "qos/cpu_set.h"

namespace evenkeel {

enum class Knob : std::uint8_t {
  cpu_quota,
  cpu_burst,
  cpu_shares,
  cpu_idle,
  cpu_bvt,
  cpuset_cpus,
  memory_min,
  memory_low,
  memory_high,
  memory_oom_group
};
inline constexpr std::size_t kKnobCount = 10;

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
};

enum class Controller : std::uint8_t { cpu, cpuacct, cpuset, memory, blkio, perf_event };
inline constexpr std::size_t kControllerCount = 6;

struct KnobRow {
  Knob knob;
  std::string_view name;  ///< in logs, metrics and explain
  Controller controller;
  std::string_view v1_file;  ///< empty: v1 has no such lever
  std::string_view v2_file;  ///< empty: v2 has no such lever
  ValueKind kind;
  Merge merge;
  std::int64_t lowest, highest;  ///< legal numbers, both included (unlimited apart)
  bool vendor;                   ///< not on every mainline kernel: its absence is no news
};

/// The table, in the order of the enum.
const std::array<KnobRow, kKnobCount>& knob_table();
inline const KnobRow& row(Knob knob) { return knob_table()[static_cast<std::size_t>(knob)]; }

struct Unlimited {
  bool operator==(const Unlimited&) const = default;
};
/// A value of any lever. cpu_quota counts microseconds per the cgroup's own period.
using KnobValue = std::variant<std::int64_t, Unlimited, CpuSet>;

/// For people: "150000", "unlimited", "0-3".
std::string text(const KnobValue& value);
/// a < b as limits: unlimited is above every number. CPU sets do not compare (false).
bool tighter(const KnobValue& a, const KnobValue& b);

}  // namespace evenkeel
