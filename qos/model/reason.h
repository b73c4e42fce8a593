// The reason for a value: a sentence with placeholders and their numbers, rendered only on request. Creating
// one allocates nothing, so every intent of every tick carries one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>

#include "qos/model/units.h"

namespace evenkeel {

struct Reason {
  using Number =
      std::variant<std::monostate, std::int64_t, MilliCpu, Percent, Bytes, QuotaTime, BitRate, Duration>;
  static constexpr std::size_t kMaxNumbers = 6;

  const char* sentence = "";  ///< a string literal; each {} takes the next number
  std::array<Number, kMaxNumbers> numbers{};

  /// "services use 6.25 CPUs of 16 CPUs": the unit comes with the number (CPUs, %, GiB, µs, s), so a sentence
  /// needs none. A placeholder without a number is "?".
  [[nodiscard]] std::string text() const;
};

template <class... N>
constexpr Reason because(const char* sentence, N... numbers) {
  static_assert(sizeof...(N) <= Reason::kMaxNumbers);
  return Reason{sentence, {Reason::Number(numbers)...}};
}

}  // namespace evenkeel
