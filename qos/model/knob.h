// The table of levers, their values, and the values of those that are one number each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "qos/model/topology.h"
#include "qos/model/units.h"

namespace evenkeel {

// The levers, one row each. The row holds everything that is specific to a lever; the sampler, the planner,
// the executor, the journal, `evenkeel capabilities` and the documentation derive from it. Does not touch
// files: cgroup/kernel/knob_files.cpp turns the file names of a row into reads and writes.

/// A lever; its row in qos/model/knob_rows.inc declares it.
enum class Knob : std::uint8_t {
#define EVENKEEL_KNOB(knob, ...) knob,
#include "qos/model/knob_rows.inc"
#undef EVENKEEL_KNOB
};
inline constexpr std::size_t kKnobCount =
    std::initializer_list<int>{
#define EVENKEEL_KNOB(knob, ...) 0,
#include "qos/model/knob_rows.inc"
#undef EVENKEEL_KNOB
    }
        .size();
/// Space for one more row, which only tests/lever adds.
inline constexpr std::size_t kKnobSlots = kKnobCount + 1;
/// The levers before this one constrain one another. This one and those after it are plain: one number each,
/// which no other lever constrains.
inline constexpr Knob kFirstPlain{static_cast<std::uint8_t>(Knob::cpuset_cpus) + 1};

/// A bit per knob.
using KnobBits = std::uint64_t;
static_assert(kKnobSlots <= 64);
constexpr KnobBits knob_bit(Knob knob) { return KnobBits{1} << static_cast<unsigned>(knob); }

/// Which of two intents for one (cgroup, knob) wins.
enum class Merge : std::uint8_t {
  lowest,   ///< the tighter limit
  highest,  ///< the stronger protection
  first,    ///< that of the policy that comes first in the registry
};

/// What the text of a value looks like.
enum class ValueKind : std::uint8_t {
  number,  ///< one integer
  limit,   ///< one integer or "unlimited" (-1 on v1, max on v2); on v2 the period follows
  cpus,    ///< a CPU list
  bytes,   ///< whole pages, or "max"
  line,    ///< the words of one disk's line: not a value that a plan can hold
  disk,    ///< one number of one disk's line, or none (as "unlimited")
};

/// "max" of a plain knob, as a number.
inline constexpr std::int64_t kPlainMax = INT64_MAX;

/// The values that the kernel accepts.
struct ValueRule {
  ValueKind kind = ValueKind::number;
  std::int64_t lowest = 0, highest = 0;  ///< both included; "unlimited" is legal besides, if the kind has it
  std::int64_t initial = 0;              ///< in a new cgroup; of plain knobs
  std::string_view v1_unlimited{};       ///< how v1 spells "unlimited", where it differs from v2
};

/// In which order the writes of one plan are made.
enum class WriteOrder : std::uint8_t {
  any,       ///< no value of another cgroup matters
  by_level,  ///< a value is raised in parents first and lowered in children first
  bound,     ///< it depends on other levers of the same cgroup: the planner has a phase for it
};

/// Which kernels have the file.
enum class Kernels : std::uint8_t {
  all,       ///< every mainline kernel, on v1 and v2: an absent file is reported
  v2,        ///< mainline on v2, vendor kernels on v1
  optional,  ///< mainline, if built with an option
  vendor,    ///< vendor kernels only
};

/// The cgroups whose file the sampler reads.
enum class ReadIn : std::uint8_t { every_cgroup, pods_and_containers };

enum class Controller : std::uint8_t { cpu, cpuacct, cpuset, memory, blkio, perf_event };
inline constexpr std::size_t kControllerCount = 6;

/// The replacement for a missing lever, if the capabilities that it needs work.
struct StandIn {
  std::string_view text{};
  std::string_view needs{}, needs_too{};
};

/// A row of `evenkeel capabilities`. Several levers may name the same capability: the one that has `what`
/// describes it, and its file is probed.
struct KnobCapability {
  std::string_view name{};        ///< empty: there is no row for it
  int place = 1000;               ///< rows are sorted by it
  std::string_view what{};        ///< one phrase for the documentation
  std::string_view substitute{};  ///< what is used where it is missing; empty: nothing
  StandIn stand_in{};             ///< takes precedence over `substitute`
  std::string_view v1_detail{};   ///< a restriction of v1, reported where it works
  std::string_view also_on{};     ///< not empty: this file provides the capability too, for these
};

/// The cells of docs/levers.md that the other fields do not give.
struct KnobDocs {
  std::string_view restored = "the original text";  ///< what a restore writes
  std::string_view v1_note{}, v2_note{};            ///< follow the file name
};

struct KnobMetric {
  std::string_view name{}, help{};
};

struct KnobRow {
  Knob knob{};
  std::string_view name{};  ///< in logs, metrics and explain
  Controller controller = Controller::cpu;
  std::string_view v1_file{};   ///< empty: v1 has no such file
  std::string_view v2_file{};   ///< the same; "io.max:rbps": the part rbps of a disk's line in io.max
  std::string_view node_dir{};  ///< not empty: a file of the node in this directory below the host root
  ValueRule values{};
  Merge merge = Merge::first;
  WriteOrder order = WriteOrder::any;
  Kernels kernels = Kernels::all;
  ReadIn read_in = ReadIn::every_cgroup;
  /// The owner's own value takes part in `merge`: it is never undercut (highest) or exceeded (lowest).
  bool owner_counts = false;
  bool in_subgroups = false;  ///< what holds for a container has no effect while its subgroup has less
  KnobCapability capability{};
  KnobDocs docs{};
  KnobMetric metric{};  ///< the metric of the value that is held on a disk

  /// The name of the file on this version of cgroups; empty: there is none.
  [[nodiscard]] constexpr std::string_view file(bool v2) const { return v2 ? v2_file : v1_file; }
  /// Whether every mainline kernel of this version of cgroups has the file.
  [[nodiscard]] constexpr bool in_mainline(bool v2) const {
    return kernels == Kernels::all || (v2 && kernels == Kernels::v2);
  }
  /// Whether an absent file is expected, and not reported.
  [[nodiscard]] constexpr bool may_be_absent() const { return kernels != Kernels::all; }
};

/// The table, in the order of the enum.
std::span<const KnobRow> knob_table();
inline const KnobRow& row(Knob knob) { return knob_table()[static_cast<std::size_t>(knob)]; }
/// Whether it is a lever of the node itself: its directory lives as long as the kernel.
inline bool is_of_node(Knob knob) { return !row(knob).node_dir.empty(); }
/// Whether it is a lever of a cgroup on one disk.
inline bool is_of_disk(Knob knob) { return row(knob).values.kind == ValueKind::disk; }
/// Whether its file has a line per disk.
inline bool has_disk_lines(Knob knob) { return is_of_disk(knob) || row(knob).values.kind == ValueKind::line; }

struct Unlimited {
  bool operator==(const Unlimited&) const = default;
};
/// A value of any lever. cpu_quota counts microseconds per the cgroup's own period.
using KnobValue = std::variant<std::int64_t, Unlimited, CpuSet>;

/// For display: "150000", "unlimited", "0-3".
std::string text(const KnobValue& value);
/// a < b as limits: unlimited is above every number. CPU sets do not compare (false).
bool tighter(const KnobValue& a, const KnobValue& b);

// The values of all plain knobs of one cgroup, or of the node: a number each, or not known. Does not know
// what the numbers mean.

inline constexpr std::size_t kPlainCount = kKnobSlots - static_cast<std::size_t>(kFirstPlain);
constexpr bool is_plain(Knob knob) { return knob >= kFirstPlain; }
constexpr std::size_t plain_index(Knob knob) {
  return static_cast<std::size_t>(knob) - static_cast<std::size_t>(kFirstPlain);
}
/// By plain_index.
using PlainNumbers = std::array<std::int64_t, kPlainCount>;

/// Those of a new cgroup.
const PlainNumbers& initial_numbers();

/// "max" where the lever supports it.
inline KnobValue plain_value(Knob knob, std::int64_t number) {
  const auto kind = row(knob).values.kind;
  if ((kind == ValueKind::bytes || kind == ValueKind::disk) && number == kPlainMax) return Unlimited{};
  return number;
}
/// The inverse; anything but a number is "max".
inline std::int64_t plain_number(const KnobValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number ? *number : kPlainMax;
}

class PlainSettings {
 public:
  /// kPlainMax stands for "max". Absent: the file is not there or could not be read.
  [[nodiscard]] std::optional<std::int64_t> get(Knob knob) const {
    return has(knob) ? std::optional(numbers_[plain_index(knob)]) : std::nullopt;
  }
  [[nodiscard]] std::optional<Bytes> bytes(Knob knob) const {
    return has(knob) ? std::optional(Bytes(numbers_[plain_index(knob)])) : std::nullopt;
  }
  [[nodiscard]] bool has(Knob knob) const { return (known_ & knob_bit(knob)) != 0; }
  void set(Knob knob, std::optional<std::int64_t> number) {
    known_ = number ? known_ | knob_bit(knob) : known_ & ~knob_bit(knob);
    numbers_[plain_index(knob)] = number.value_or(0);
  }
  /// The knobs whose number is known.
  [[nodiscard]] KnobBits known() const { return known_; }
  /// Zero where nothing is known.
  [[nodiscard]] const PlainNumbers& numbers() const { return numbers_; }
  bool operator==(const PlainSettings&) const = default;

 private:
  PlainNumbers numbers_{};
  KnobBits known_ = 0;
};

}  // namespace evenkeel
