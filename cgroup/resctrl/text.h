// Parses the texts of resctrl: schemata, masks and counters. Pure; absent for what no kernel
// prints. Does not know files or what is legal on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "qos/model/resctrl.h"

namespace evenkeel::resctrl {

/// Where resctrl is mounted, below the host's root; the only possible place.
inline constexpr const char* kResctrlDir = "sys/fs/resctrl";
/// Prefix of the names of groups that the agent creates.
inline constexpr std::string_view kResctrlPrefix = "evenkeel-";

/// One line of a schemata file. Numbers are in the file's notation: masks hexadecimal, bandwidths decimal.
struct SchemataLine {
  struct Domain {
    std::int32_t id = 0;
    std::uint64_t value = 0;
    bool operator==(const Domain&) const = default;
  };
  std::string resource{};
  std::vector<Domain> domains{};
  bool operator==(const SchemataLine&) const = default;
};
using Schemata = std::vector<SchemataLine>;

/// "    L3:0=7ff;1=7ff" is hexadecimal, "MB:0= 100" decimal: every resource whose name begins with L is a
/// mask.
bool is_mask(std::string_view resource);
/// The whole file. Absent when a line is malformed, or a resource or a domain occurs twice.
std::optional<Schemata> parse_schemata(std::string_view text);
/// A schemata file on one line, for reports.
std::string one_line(std::string_view schemata);
/// Whether `found` has every value that `requested` names.
bool holds(const Schemata& found, const Schemata& requested);

/// "7ff": one mask of up to 64 bits, blanks around it allowed; "fffff,ffffffff" is none.
std::optional<std::uint64_t> parse_mask(std::string_view text);
/// A file of mon_data: a number. "Unavailable" and "Error" are absent.
std::optional<std::int64_t> parse_monitor(std::string_view text);
/// The domain of a directory in mon_data: "mon_L3_01" is 1.
std::optional<std::int32_t> monitor_domain(std::string_view name);

}  // namespace evenkeel::resctrl
