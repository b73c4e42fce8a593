#include "cgroup/base/disk_text.h"

#include <array>
#include <span>
#include <utility>

#include "qos/model/knob.h"

namespace evenkeel {
namespace {

constexpr std::uint32_t kMinorBits = 20, kMostMinor = (1U << kMinorBits) - 1, kMostMajor = (1U << 12U) - 1;
constexpr std::array<std::string_view, 4> kMaxKeys = {"rbps", "wbps", "riops", "wiops"};
constexpr std::array<std::string_view, 1> kLatencyKeys = {"target"};

/// The keys of a line of this file.
std::span<const std::string_view> keys_of(std::string_view name) {
  if (file_part(name) == "io.latency") return kLatencyKeys;
  return kMaxKeys;
}

/// The file's word for "no value of its own".
std::string_view none_word(std::string_view name) {
  if (!key_part(name).empty()) return "max";
  if (is_cost_file(name)) return default_cost_line(name);
  return name.find(".throttle.") != std::string_view::npos ? "0" : "default";
}

bool is_part(std::string_view word, std::string_view key) {
  return word.starts_with(key) && word.substr(key.size()).starts_with('=');
}

/// A line of such keys with one of them replaced; empty when nothing is limited any more.
std::string merged_keys(std::string_view name, std::string_view device, std::string_view before,
                        std::string_view part) {
  std::string out(device);
  bool limited = false;
  for (const auto key : keys_of(name)) {
    std::string word = std::string(key) + "=max";
    Scanner scan(before);
    for (auto old = scan.word(); !old.empty(); old = scan.word())
      if (is_part(old, key)) word = old;
    if (is_part(part, key)) word = part;
    limited = limited || !word.ends_with("=max");
    out += ' ' + word;
  }
  return limited ? out : std::string();
}

}  // namespace

std::optional<std::uint32_t> device_number(std::int64_t major, std::int64_t minor) {
  if (major < 0 || major > kMostMajor || minor < 0 || minor > kMostMinor || major + minor == 0)
    return std::nullopt;
  return (static_cast<std::uint32_t>(major) << kMinorBits) | static_cast<std::uint32_t>(minor);
}

std::optional<std::uint32_t> parse_device(std::string_view word) {
  Scanner scan(word);
  const auto major = scan.number();
  const bool colon = scan.eat(":");
  const auto minor = scan.number();
  if (!major || !colon || !minor || !scan.done()) return std::nullopt;
  return device_number(*major, *minor);
}

std::string device_text(std::uint32_t device) {
  return std::to_string(device >> kMinorBits) + ':' + std::to_string(device & kMostMinor);
}

std::string disk_entry_name(std::string_view name, std::uint32_t device) {
  std::string out(name);
  if (device != 0) out += '@' + device_text(device);
  return out;
}

std::optional<std::int64_t> disk_number(std::string_view word) {
  const auto value = word.substr(word.find('=') + 1);  // without a '=': the whole word
  if (value == "max" || value == "default") return kPlainMax;
  Scanner scan(value);
  const auto number = scan.number();
  if (!number || !scan.done() || *number < 0) return std::nullopt;
  return *number == 0 ? kPlainMax : *number;
}

std::string disk_text(std::string_view name, std::uint32_t device, std::int64_t number) {
  const auto key = key_part(name);
  std::string out = device_text(device) + ' ';
  if (!key.empty()) out.append(key).append("=");
  return number == kPlainMax ? out.append(none_word(name)) : out + std::to_string(number);
}

std::optional<std::int64_t> number_in_line(std::string_view name, std::string_view rest) {
  const auto key = key_part(name);
  Scanner scan(rest);
  if (key.empty()) return disk_number(scan.word());
  for (auto word = scan.word(); !word.empty(); word = scan.word())
    if (is_part(word, key)) return disk_number(word);
  return kPlainMax;
}

std::string disk_entry(std::string_view name, std::uint32_t device, std::string_view whole) {
  if (is_cost_file(name)) return restorable_cost_line(name, device, whole);
  std::string out = disk_text(name, device, kPlainMax);
  for_each_disk(whole, [&](std::uint32_t of, std::string_view rest) {
    if (of != device) return;
    const auto number = number_in_line(name, rest);
    out = number ? disk_text(name, device, *number) : device_text(device) + std::string(rest);
  });
  return out;
}

std::vector<std::string> disk_writes(std::string_view name, std::string_view whole, std::string_view order) {
  std::vector one{std::string(trimmed(order))};
  Scanner wanted(one[0]);
  const auto device = parse_device(wanted.word());
  if (trimmed(wanted.rest()) != none_word(name)) return one;
  std::string cgroup_weight;
  std::vector<std::string> others;
  bool had_own = false;
  for (Scanner scan(whole); !scan.done();) {
    const auto line = scan.line();
    Scanner words(line);
    const auto word = words.word();
    if (word == "default") cgroup_weight = trimmed(words.rest());
    if (const auto of = parse_device(word); of && of == device)
      had_own = true;
    else if (of)
      others.emplace_back(trimmed(line));
  }
  if (!had_own || cgroup_weight.empty()) return one;
  others.insert(others.begin(), cgroup_weight);
  return others;
}

std::string with_disk_entry(std::string_view name, std::string_view whole, std::string_view order) {
  Scanner wanted(trimmed(order));
  const auto device = wanted.word();
  const auto part = trimmed(wanted.rest());
  const bool keyed = !key_part(name).empty();
  std::string line = keyed                     ? merged_keys(name, device, "", part)
                     : part == none_word(name) ? std::string()
                                               : std::string(device) + ' ' + std::string(part);
  std::string out;
  const auto add = [&out](std::string_view one) {
    if (!one.empty()) out.append(one).append("\n");
  };
  for (Scanner scan(whole); !scan.done();) {
    const auto old = scan.line();
    Scanner words(old);
    const bool same = parse_device(words.word()) == parse_device(device);
    if (same && keyed) line = merged_keys(name, device, words.rest(), part);
    add(same ? std::exchange(line, {}) : old);
  }
  add(line);
  return out;
}

}  // namespace evenkeel
