#include <array>

#include "cgroup/base/disk_text.h"

namespace evenkeel {
namespace {

constexpr std::array<const char*, 6> kModelKeys = {"rbps", "rseqiops", "rrandiops",
                                                   "wbps", "wseqiops", "wrandiops"};

void add(std::string& line, const char* key, std::int64_t number) {
  line.append(" ").append(key).append("=") += std::to_string(number);
}

/// The value of `key` in a line's words; empty: missing.
std::string_view value_of(std::string_view line, std::string_view key) {
  Scanner scan(line);
  for (auto word = scan.word(); !word.empty(); word = scan.word())
    if (word.starts_with(key) && word.substr(key.size()).starts_with('=')) return word.substr(key.size() + 1);
  return {};
}

bool same_value(std::string_view a, std::string_view b) {
  if (a == b) return true;
  Scanner left(a), right(b);
  const auto x = left.decimal(), y = right.decimal();
  return x && y && left.done() && right.done() && *x == *y;
}

}  // namespace

std::string cost_qos_line(const decide::DiskCost& cost) {
  std::string line = device_text(cost.disk) + " enable=1 ctrl=user";
  add(line, "rpct", cost.read_percent);
  add(line, "rlat", cost.read_latency_us);
  add(line, "wpct", cost.write_percent);
  add(line, "wlat", cost.write_latency_us);
  return line;
}

std::string cost_model_line(const decide::DiskCost& cost) {
  std::string line = device_text(cost.disk) + (cost.own_model ? " ctrl=user" : " ctrl=auto");
  for (std::size_t i = 0; cost.own_model && i < kModelKeys.size(); ++i)
    if (cost.model[i] > 0) add(line, kModelKeys[i], cost.model[i]);
  return line;
}

std::string_view default_cost_line(std::string_view name) {
  return name.ends_with(".qos") ? "enable=0 ctrl=auto" : "ctrl=auto";
}

bool is_cost_file(std::string_view name) {
  return name.ends_with(".cost.qos") || name.ends_with(".cost.model");
}

std::string restorable_cost_line(std::string_view name, std::uint32_t device, std::string_view whole) {
  std::string out = device_text(device) + ' ' + std::string(default_cost_line(name));
  for_each_disk(whole, [&](std::uint32_t of, std::string_view line) {
    if (of != device) return;
    out = device_text(device);
    const auto rest = trimmed(line);
    const bool by_kernel = value_of(rest, "ctrl") == "auto";
    Scanner scan(rest);
    for (auto word = scan.word(); !word.empty(); word = scan.word())
      if (!by_kernel || word.starts_with("enable=") || word.starts_with("ctrl="))
        out.append(" ").append(word);
  });
  return out;
}

bool same_cost(std::string_view a, std::string_view b) {
  Scanner scan(a);
  const auto device = scan.word();
  if (device != Scanner(b).word()) return false;
  const auto is_by_kernel = [](std::string_view line) { return value_of(line, "ctrl") == "auto"; };
  if (is_by_kernel(a) != is_by_kernel(b)) return false;
  for (auto word = scan.word(); !word.empty(); word = scan.word()) {
    const auto key = word.substr(0, word.find('='));
    const auto other = value_of(b, key);
    if (!other.empty() && !same_value(value_of(a, key), other)) return false;
  }
  return true;
}

}  // namespace evenkeel
