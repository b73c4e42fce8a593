// What the checkpoints of everything learned share: lines with their checksum in front, each complete in
// itself, so that one which a torn write has cut off or changed costs nothing but itself; and times that
// survive a reboot. May not: know what is learned, files or clocks.
//
//   CRC32 BODY
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "qos/model/units.h"

namespace evenkeel::history {

/// One and the same moment on both clocks.
struct Moment {
  MonoTime mono{};
  std::int64_t unix_seconds = 0;
};

struct CheckpointStats {
  std::size_t models = 0;        ///< in use now
  std::size_t expired = 0;       ///< so old that nothing was left of them
  std::size_t incompatible = 0;  ///< measured in another way, or on other CPUs
  std::size_t corrupt = 0;       ///< lines that were skipped
};

/// The line, its end included.
std::string sealed_line(std::string_view body);
/// What sealed_line() was given; absent for what it did not write. With its end or without.
std::optional<std::string_view> body_of_line(std::string_view line);

/// Seconds since 1970 of a moment in the past: the monotonic clock begins anew with every boot.
std::int64_t wall_time(MonoTime at, Moment now);
/// The inverse of a whole word. A time after `now` is now (the wall clock was set back), what is older than
/// ten years is as old.
std::optional<MonoTime> read_time(std::string_view text, Moment now);

/// Appends it so that it reads back to the last bit.
template <class Number>
void put_number(std::string& line, Number number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  line.append(digits.data(), end);
}

/// Takes a number off the front of the text.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace evenkeel::history
