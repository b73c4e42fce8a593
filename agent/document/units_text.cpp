#include "agent/document/units_text.h"

#include <array>
#include <charconv>
#include <limits>

namespace evenkeel::document {
namespace {

__extension__ using Wide = __int128;
constexpr Wide kWideMost = ((static_cast<Wide>(1) << 126) - 1) * 2 + 1;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// digits * 10^-fraction_digits, exactly.
struct Decimal {
  Wide digits = 0;
  int fraction_digits = 0;
};

/// Consumes a leading "12", "12.5", ".5" or "12."; absent without a digit or with more than about 26 of them.
std::optional<Decimal> take_decimal(std::string_view& text) {
  constexpr Wide kMostDigits = kWideMost / 1'000'000'000'000;
  Decimal out;
  bool any = false;
  bool fraction = false;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char c = text.front();
    if (c == '.' && !fraction) {
      fraction = true;
    } else if (is_digit(c)) {
      any = true;
      out.digits = out.digits * 10 + (c - '0');
      out.fraction_digits += fraction ? 1 : 0;
      if (out.digits > kMostDigits || out.fraction_digits > 100) return std::nullopt;
    } else {
      break;
    }
  }
  if (!any) return std::nullopt;
  return out;
}

/// A suffix as 2^binary * 10^decimal.
struct Scale {
  int binary = 0;
  int decimal = 0;
};

struct Suffix {
  std::string_view text;
  Scale scale;
};
constexpr std::array<Suffix, 16> kSuffixes = {{{"", {}},
                                               {"n", {0, -9}},
                                               {"u", {0, -6}},
                                               {"m", {0, -3}},
                                               {"k", {0, 3}},
                                               {"M", {0, 6}},
                                               {"G", {0, 9}},
                                               {"T", {0, 12}},
                                               {"P", {0, 15}},
                                               {"E", {0, 18}},
                                               {"Ki", {10, 0}},
                                               {"Mi", {20, 0}},
                                               {"Gi", {30, 0}},
                                               {"Ti", {40, 0}},
                                               {"Pi", {50, 0}},
                                               {"Ei", {60, 0}}}};

std::optional<Scale> exponent(std::string_view text) {
  if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return std::nullopt;
  text.remove_prefix(1);
  if (text.front() == '+') {
    text.remove_prefix(1);
    if (text.empty() || !is_digit(text.front())) return std::nullopt;
  }
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value < -100 || value > 100) return std::nullopt;
  return Scale{0, value};
}

std::optional<Scale> scale_of(std::string_view suffix) {
  for (const auto& known : kSuffixes) {
    if (known.text == suffix) return known.scale;
  }
  return exponent(suffix);
}

/// value * factor; absent when it does not fit.
std::optional<Wide> times(std::optional<Wide> value, Wide factor) {
  if (!value || *value > kWideMost / factor) return std::nullopt;
  return *value * factor;
}

/// value * 10^power, rounded up; absent when it does not fit.
std::optional<Wide> shifted(std::optional<Wide> value, int power) {
  for (; value && *value != 0 && power > 0; --power) value = times(value, 10);
  bool rest = false;
  for (; value && power < 0; ++power) {
    rest = rest || *value % 10 != 0;
    value = *value / 10;
  }
  if (value && rest) value = *value + 1;
  return value;
}

/// Consumes one leading duration unit; its length in nanoseconds.
std::optional<std::int64_t> take_unit(std::string_view& text) {
  struct Unit {
    std::string_view text;
    std::int64_t nanoseconds;
  };
  constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                           {"us", 1'000},
                                           {"µs", 1'000},
                                           {"ms", 1'000'000},
                                           {"s", 1'000'000'000},
                                           {"m", 60'000'000'000},
                                           {"h", 3'600'000'000'000},
                                           {"d", 86'400'000'000'000}}};
  for (const auto& unit : kUnits) {
    if (!text.starts_with(unit.text)) continue;
    text.remove_prefix(unit.text.size());
    return unit.nanoseconds;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_quantity(std::string_view text, std::int64_t per_whole) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto decimal = take_decimal(text);
  const auto scale = scale_of(text);
  if (!decimal || !scale) return std::nullopt;
  auto value = times(decimal->digits, per_whole);
  value = times(value, static_cast<Wide>(1) << scale->binary);
  value = shifted(value, scale->decimal - decimal->fraction_digits);
  if (!value || *value > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(*value);
  return negative ? -whole : whole;
}

std::optional<double> parse_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<MilliCpu> parse_cpu(std::string_view text) {
  const auto value = parse_quantity(text, 1000);
  return value ? std::optional(MilliCpu(*value)) : std::nullopt;
}

std::optional<Bytes> parse_bytes(std::string_view text) {
  const auto value = parse_quantity(text);
  return value ? std::optional(Bytes(*value)) : std::nullopt;
}

std::optional<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration{};
  if (text.empty()) return std::nullopt;
  Wide sum = 0;
  auto previous = std::numeric_limits<std::int64_t>::max();
  while (!text.empty()) {
    const auto number = take_decimal(text);
    const auto unit = number ? take_unit(text) : std::nullopt;
    if (!unit || *unit >= previous) return std::nullopt;
    const auto part = shifted(times(number->digits, *unit), -number->fraction_digits);
    if (!part || *part > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    sum += *part;
    if (sum > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    previous = *unit;
  }
  return Duration(static_cast<Duration::rep>(sum));
}

std::string duration_text(Duration duration) {
  struct Unit {
    const char* text;
    std::int64_t nanoseconds;
  };
  constexpr std::array<Unit, 6> kUnits = {{{"h", 3'600'000'000'000},
                                           {"m", 60'000'000'000},
                                           {"s", 1'000'000'000},
                                           {"ms", 1'000'000},
                                           {"us", 1'000},
                                           {"ns", 1}}};
  auto left = duration.count();
  std::string out = left < 0 ? "-" : "";
  for (const auto& unit : kUnits) {
    const auto count = left / unit.nanoseconds;
    left -= count * unit.nanoseconds;
    if (count != 0) out += std::to_string(count < 0 ? -count : count) + unit.text;
  }
  return out.empty() ? "0s" : out;
}

}  // namespace evenkeel::document
