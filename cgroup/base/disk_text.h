// Files with a line per disk ("8:16 rbps=1048576 wbps=max …", "8:16 1048576", "8:16 default"): one disk's own
// part of them, taken out and put in.
// May not: touch a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/text.h"

namespace evenkeel {

/// A lever's file name in the knob table: "io.max:rbps" is the part rbps of a line of io.max.
constexpr std::string_view file_part(std::string_view name) { return name.substr(0, name.find(':')); }
constexpr std::string_view key_part(std::string_view name) {
  const auto colon = name.find(':');
  return colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
}

/// "8:16", as the kernel's number (12 bits major, 20 bits minor), and back.
std::optional<std::uint32_t> parse_device(std::string_view word);
std::string device_text(std::uint32_t device);

/// "io.max:rbps@8:16"; without a device the name itself.
std::string disk_entry_name(std::string_view name, std::uint32_t device);

/// The number in one word of a line, with or without its key; kPlainMax for "max", "default" and 0. Absent:
/// no such thing.
std::optional<std::int64_t> disk_number(std::string_view word);
/// "8:16 rbps=1048576"; kPlainMax is none of its own.
std::string disk_text(std::string_view name, std::uint32_t device, std::int64_t number);

/// f(device, the rest of its line) for each line of a disk.
template <class F>
void for_each_disk(std::string_view text, F&& f) {
  Scanner scan(text);
  while (!scan.done()) {
    Scanner line(scan.line());
    if (const auto device = parse_device(line.word())) f(*device, line.rest());
  }
}
/// The number of the lever `name` in the rest of a disk's line; absent: it makes no sense.
std::optional<std::int64_t> number_in_line(std::string_view name, std::string_view rest);

/// The disk's own part out of the whole file, as disk_text() gives it; the kernel leaves out lines that would
/// say nothing. What cannot be understood comes as it is.
std::string disk_entry(std::string_view name, std::uint32_t device, std::string_view whole);
/// BFQ keeps a disk to its own weight after that was taken away, until the cgroup's weight is given anew
/// (bfq_io_set_device_weight() of Linux 5.4 and later).
constexpr bool keeps_removed_weights(std::string_view name) {
  return name.find(".bfq.") != std::string_view::npos;
}
/// For such a file, the lines by which the kernel does what `order` says, each a write of its own; `whole` is
/// the file as it is. A weight given anew takes away those of all disks, so the others are given theirs
/// again.
std::vector<std::string> disk_writes(std::string_view name, std::string_view whole, std::string_view order);
/// The whole file after `order` was written to it, as the kernel would have it: for plain files only.
std::string with_disk_entry(std::string_view name, std::string_view whole, std::string_view order);

}  // namespace evenkeel
