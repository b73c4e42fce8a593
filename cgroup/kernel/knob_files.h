// Maps a knob to its kernel file and its value to the file's text, and back; parses numbers and lists as the
// kernel does. Does not open files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cgroup/tree/layout.h"
#include "qos/model/knob.h"
#include "qos/model/snapshot.h"
#include "qos/model/topology.h"

namespace evenkeel::kernel {

/// The file's name in this layout; empty where the lever does not exist.
std::string_view file_name(Knob knob, const tree::Layout& layout);
/// The value in a file's text; absent when the kernel would not write such a text. cpu_quota on v2 is the
/// first word of cpu.max.
std::optional<KnobValue> parse_value(Knob knob, std::string_view text, const tree::Layout& layout);
/// The text to write; never empty, because an empty write changes nothing: the empty CPU set is a line end.
/// `current` is the file's present text: cpu.max keeps its period ("150000 100000").
std::string format_value(Knob knob, const KnobValue& value, std::string_view current,
                         const tree::Layout& layout);
/// The value as the kernel will store it: shares and weights are clamped to the range of this layout's file,
/// bytes are rounded down to whole pages.
KnobValue as_kernel_stores(Knob knob, const KnobValue& value, const tree::Layout& layout);
/// Whether the knob's table row allows this value, by kind and range.
bool legal_value(Knob knob, const KnobValue& value);
/// Whether a new cgroup has this value, before anybody writes one. False for shares, whose initial value
/// depends on the version of cgroups.
bool is_initial_value(Knob knob, const KnobValue& value);
/// Whether two texts of the file mean the same ("0,1" and "0-1"; "max 100000" and "max 100000\n").
bool same_text(Knob knob, std::string_view a, std::string_view b);
/// The value in the snapshot's read-back; absent: missing or not readable.
std::optional<KnobValue> applied_value(const Applied& applied, Knob knob);
/// Reads one lever of every disk from its file's text. `name` is the file's in the knob table.
void parse_disk_values(Knob knob, std::string_view name, std::string_view text, DiskReading& into);

/// The knob whose file (on v1 or v2) has this name in the table.
std::optional<Knob> knob_of_file(std::string_view file);
/// The same for a name in the journal, followed by the disk where the lever is per disk ("io.max:rbps@8:16").
std::optional<Knob> knob_of_entry(std::string_view entry);

// Parses numbers and lists as the kernel does when they are written to its files (lib/kstrtox.c,
// lib/vsprintf.c, lib/bitmap-str.c), errno included. Used by the model of its rules. Does not touch files.

/// Zero with a value, or the errno that the kernel returns.
template <class T>
struct KernelParsed {
  int code = 0;
  T value{};
};

/// kstrtoull(base 0): "0x10" and "010" are hexadecimal and octal, one line end is allowed, blanks are not.
KernelParsed<std::uint64_t> kernel_u64(std::string_view text);
/// kstrtoll(base 0).
KernelParsed<std::int64_t> kernel_s64(std::string_view text);
/// cpulist_parse for a machine whose CPU numbers are below `cpu_ids`.
KernelParsed<CpuSet> kernel_cpu_list(std::string_view text, int cpu_ids);

/// The two words of cpu.max as sscanf("%20s %llu") parses them.
struct KernelCpuMax {
  bool unlimited = false;
  std::uint64_t quota_us = 0;
  bool has_period = false;
  std::uint64_t period_us = 0;
};
KernelParsed<KernelCpuMax> kernel_cpu_max(std::string_view text);

/// page_counter_memparse(): "max", or a number followed by K, M, G, T, P or E, in whole pages of 4 KiB.
/// Absent value: max.
KernelParsed<std::optional<std::int64_t>> kernel_bytes(std::string_view text);

}  // namespace evenkeel::kernel
