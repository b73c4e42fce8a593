// The values of all plain knobs of one cgroup, or of the node: a number each, or not known. Does not know
// what the numbers mean.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "qos/model/knob.h"
#include "qos/model/units.h"

namespace evenkeel {

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
