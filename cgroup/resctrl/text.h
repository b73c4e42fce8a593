// The texts of resctrl: schemata, masks and counters. Pure; absent for what no kernel prints.
// May not: know files or what is legal on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "qos/model/resctrl.h"

namespace evenkeel::resctrl {

/// Where resctrl is mounted, below the host's root; it has no other place.
inline constexpr const char* kResctrlDir = "sys/fs/resctrl";
/// The groups that we make have names that begin so.
inline constexpr std::string_view kResctrlPrefix = "evenkeel-";

/// One line of a schemata file. Numbers as they stand there: masks are hexadecimal, bandwidths decimal.
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
/// The whole file. Absent when a line is none, or a resource or a domain stands there twice.
std::optional<Schemata> parse_schemata(std::string_view text);
/// The other way, as the kernel wants it: every line with its end.
std::string schemata_text(const Schemata& schemata);
/// A schemata file on one line, for people.
std::string one_line(std::string_view schemata);
/// Whether everything that `asked` names holds in `found`.
bool holds(const Schemata& found, const Schemata& asked);

/// "7ff", "fffff,ffffffff" is none: one mask of up to 64 bits, blanks around it allowed.
std::optional<std::uint64_t> parse_mask(std::string_view text);
/// A file of mon_data: a number. "Unavailable" and "Error" are absent.
std::optional<std::int64_t> parse_monitor(std::string_view text);
/// The domain of a directory in mon_data: "mon_L3_01" is 1.
std::optional<std::int32_t> monitor_domain(std::string_view name);

}  // namespace evenkeel::resctrl
