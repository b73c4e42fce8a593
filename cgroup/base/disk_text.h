// Reads, formats and replaces one disk's part of files with a line per disk ("8:16 rbps=1048576 wbps=max …",
// "8:16 1048576", "8:16 default"), the I/O cost model's included. Does not touch files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/text.h"
#include "qos/decide/io_plan.h"

namespace evenkeel {

/// The file's name in a knob table's name: "io.max:rbps" is the part rbps of a line of io.max.
constexpr std::string_view file_part(std::string_view name) { return name.substr(0, name.find(':')); }
constexpr std::string_view key_part(std::string_view name) {
  const auto colon = name.find(':');
  return colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
}

/// The kernel's number: 12 bits major, 20 bits minor. Absent: out of range, or no device (0:0).
std::optional<std::uint32_t> device_number(std::int64_t major, std::int64_t minor);
/// "8:16", as the kernel's number, and back.
std::optional<std::uint32_t> parse_device(std::string_view word);
std::string device_text(std::uint32_t device);

/// "io.max:rbps@8:16"; without a device the name itself.
std::string disk_entry_name(std::string_view name, std::uint32_t device);

/// The number in one word of a line, with or without its key; kPlainMax for "max", "default" and 0. Absent:
/// not a number.
std::optional<std::int64_t> disk_number(std::string_view word);
/// "8:16 rbps=1048576"; kPlainMax removes the disk's own value.
std::string disk_text(std::string_view name, std::uint32_t device, std::int64_t number);

/// Calls f(device, the rest of its line) for each line of a disk.
template <class F>
void for_each_disk(std::string_view text, F&& f) {
  Scanner scan(text);
  while (!scan.done()) {
    Scanner line(scan.line());
    if (const auto device = parse_device(line.word())) f(*device, line.rest());
  }
}
/// The number of the lever `name` in the rest of a disk's line; absent: malformed.
std::optional<std::int64_t> number_in_line(std::string_view name, std::string_view rest);

/// The disk's own part of the whole file, in the form of disk_text(); the kernel leaves out lines with
/// default values only. Text that cannot be parsed is returned as it is.
std::string disk_entry(std::string_view name, std::uint32_t device, std::string_view whole);
/// BFQ keeps applying a disk's own weight after its removal, until the cgroup's weight is written again
/// (bfq_io_set_device_weight() of Linux 5.4 and later).
constexpr bool keeps_removed_weights(std::string_view name) {
  return name.find(".bfq.") != std::string_view::npos;
}
/// For such a file, the lines that make the kernel do what `order` says, each a separate write; `whole` is
/// the file's present text. Writing the cgroup's weight again removes those of all disks, so those of the
/// other disks are written again, too.
std::vector<std::string> disk_writes(std::string_view name, std::string_view whole, std::string_view order);
/// The whole file after `order` was written to it, as the kernel would show it: for plain files only.
std::string with_disk_entry(std::string_view name, std::string_view whole, std::string_view order);

// Formats lines of io.cost.qos and io.cost.model for writing, compares two of them, and turns a line read
// into one that can be written back. Does not touch files.

/// "8:16 enable=1 ctrl=user rpct=95 rlat=3000 wpct=95 wlat=3000"
std::string cost_qos_line(const decide::DiskCost& cost);
/// "8:16 ctrl=auto", or "8:16 ctrl=user rbps=… rseqiops=…" with the given numbers.
std::string cost_model_line(const decide::DiskCost& cost);

/// The default that an absent line stands for: "enable=0 ctrl=auto", "ctrl=auto".
std::string_view default_cost_line(std::string_view name);
bool is_cost_file(std::string_view name);
/// The disk's line such that writing it restores the same state: numbers that the kernel chose itself are
/// left out, since a written number counts as the user's.
std::string restorable_cost_line(std::string_view name, std::uint32_t device, std::string_view whole);
/// Whether two lines agree on every key that both have ("95" equals "95.00").
bool same_cost(std::string_view a, std::string_view b);

}  // namespace evenkeel
