// The kinds of values that the rows of knob_rows.inc have.
#pragma once

#include "qos/model/knob.h"

namespace evenkeel {

inline constexpr std::int64_t kLargest = INT64_MAX;

constexpr ValueRule number(std::int64_t lowest, std::int64_t highest, std::int64_t initial = 0) {
  return {.kind = ValueKind::number, .lowest = lowest, .highest = highest, .initial = initial};
}
/// Without a quota the period still counts: see ValueKind::limit.
constexpr ValueRule cpu_limit(std::int64_t lowest) {
  return {.kind = ValueKind::limit, .lowest = lowest, .highest = kLargest, .v1_unlimited = "-1"};
}
constexpr ValueRule cpu_list() { return {.kind = ValueKind::cpus}; }
constexpr ValueRule bytes(std::int64_t initial, std::string_view v1_unlimited = {}) {
  return {.kind = ValueKind::bytes, .highest = kLargest, .initial = initial, .v1_unlimited = v1_unlimited};
}
constexpr ValueRule per_disk(std::int64_t highest) {
  return {.kind = ValueKind::disk, .lowest = 1, .highest = highest, .initial = kPlainMax};
}
constexpr ValueRule disk_line() { return {.kind = ValueKind::line}; }

}  // namespace evenkeel
