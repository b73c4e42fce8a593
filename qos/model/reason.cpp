#include "qos/model/reason.h"

#include <cstdio>
#include <string_view>

namespace evenkeel {
namespace {

/// At most three decimals, trailing zeros removed: "6.25", "16", "-0.5".
std::string decimal(double value) {
  char text[64];
  const int length = std::snprintf(text, sizeof text, "%.3f", value);
  std::string out(text, static_cast<std::size_t>(length));
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string with_binary_unit(Bytes bytes) {
  constexpr std::string_view kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  auto value = static_cast<double>(bytes.count());
  std::size_t unit = 0;
  while ((value >= 1024 || value <= -1024) && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return decimal(value) + std::string(kUnits[unit]);
}

std::string with_decimal_unit(BitRate rate) {
  constexpr std::string_view kUnits[] = {" bit/s", " kbit/s", " Mbit/s", " Gbit/s"};
  auto value = static_cast<double>(rate.count());
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return decimal(value) + std::string(kUnits[unit]);
}

struct Spell {
  std::string operator()(std::monostate) const { return "?"; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(MilliCpu cpu) const {
    return decimal(static_cast<double>(cpu.count()) / 1000) + (cpu == MilliCpu(1000) ? " CPU" : " CPUs");
  }
  std::string operator()(Percent percent) const { return std::to_string(percent.count()) + " %"; }
  std::string operator()(Bytes bytes) const { return with_binary_unit(bytes); }
  std::string operator()(QuotaTime quota) const { return std::to_string(quota.count()) + " µs"; }
  std::string operator()(BitRate rate) const { return with_decimal_unit(rate); }
  std::string operator()(Duration time) const {
    const auto nanoseconds = static_cast<double>(time.count());
    const bool short_time = time > std::chrono::seconds(-1) && time < std::chrono::seconds(1) && time.count();
    return short_time ? decimal(nanoseconds / 1e6) + " ms" : decimal(nanoseconds / 1e9) + " s";
  }
};

}  // namespace

std::string Reason::text() const {
  std::string out;
  std::string_view rest = sentence;
  for (const Number& number : numbers) {
    const auto hole = rest.find("{}");
    if (hole == std::string_view::npos) break;
    out += rest.substr(0, hole);
    out += std::visit(Spell{}, number);
    rest.remove_prefix(hole + 2);
  }
  return out += rest;
}

}  // namespace evenkeel
