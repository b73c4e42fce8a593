// The text side of the model: which files exist, what they accept and what they read.
#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "cgroup/kernel/knob_files.h"
#include "cgroup/kernel/rules.h"

namespace evenkeel::kernel {
namespace {

constexpr std::array<std::string_view, 5> kV1CpuFiles = {"cpu.cfs_quota_us", "cpu.cfs_period_us",
                                                         "cpu.cfs_burst_us", "cpu.shares", "cpu.idle"};
constexpr std::array<std::string_view, 4> kV2CpuFiles = {"cpu.max", "cpu.max.burst", "cpu.weight",
                                                         "cpu.idle"};
// v1's "unlimited": as many whole pages as a signed number of bytes holds.
constexpr std::string_view kV1NoLimit = "9223372036854771712";

std::string_view stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<Knob> plain_knob(const KernelKind& kind, std::string_view file) {
  for (const auto& lever : knob_table())
    if ((kind.plain & knob_bit(lever.knob)) != 0 && file == lever.file(kind.memory_v2)) return lever.knob;
  return std::nullopt;
}
/// How this kernel's file spells "unlimited"; files of v1 that take -1 read as a number.
std::string_view unlimited_word(const KernelKind& kind, Knob knob) {
  return kind.memory_v2 || row(knob).values.v1_unlimited.empty() ? "max" : row(knob).values.v1_unlimited;
}

bool has_cpu_file(const KernelKind& kind, std::string_view file) {
  return kind.cpu_v2 ? std::ranges::find(kV2CpuFiles, file) != kV2CpuFiles.end()
                     : std::ranges::find(kV1CpuFiles, file) != kV1CpuFiles.end();
}

}  // namespace

int KernelRules::write(int group, std::string_view file, std::string_view text) {
  if (groups_[index(group)].gone) return ENOENT;
  const bool effective = kind_.cpuset_v2 && file == "cpuset.cpus.effective";
  const bool cpuset = effective || file == "cpuset.cpus";
  if (const auto plain = plain_knob(kind_, file)) {
    const bool bytes = row(*plain).values.kind == ValueKind::bytes;
    if (bytes && stripped(text) == unlimited_word(kind_, *plain))
      return set_plain(group, *plain, Unlimited{});
    return text.empty() ? 0 : write_plain(group, *plain, text);
  }
  if (!cpuset && !has_cpu_file(kind_, file)) return ENOENT;
  if (text.empty()) return 0;    // cgroup_file_write() calls no handler for an empty write
  if (effective) return EINVAL;  // no write handler
  return cpuset ? write_cpus(group, text) : write_cpu(group, file, text);
}

int KernelRules::write_cpu(int group, std::string_view file, std::string_view text) {
  if (file == "cpu.max") return write_cpu_max(group, text);
  const auto& state = groups_[index(group)];
  const auto quota = state.quota_us < 0 ? std::numeric_limits<std::uint64_t>::max()
                                        : static_cast<std::uint64_t>(state.quota_us);
  const auto period = static_cast<std::uint64_t>(state.period_us);
  const auto burst = static_cast<std::uint64_t>(state.burst_us);
  if (file == "cpu.cfs_quota_us" || file == "cpu.idle") {
    const auto number = kernel_s64(text);
    if (number.code != 0) return number.code;
    if (file == "cpu.idle") return set_idle(group, number.value);
    return set_bandwidth(group, period,
                         number.value < 0 ? std::numeric_limits<std::uint64_t>::max()
                                          : static_cast<std::uint64_t>(number.value),
                         burst);
  }
  const auto number = kernel_u64(text);
  if (number.code != 0) return number.code;
  if (file == "cpu.shares") return set_shares(group, number.value);
  if (file == "cpu.weight") return set_weight(group, number.value);
  if (file == "cpu.cfs_period_us") return set_bandwidth(group, number.value, quota, burst);
  return set_bandwidth(group, period, quota, number.value);
}

int KernelRules::write_cpu_max(int group, std::string_view text) {
  const auto& state = groups_[index(group)];
  const auto words = kernel_cpu_max(text);
  if (words.code != 0) return words.code;
  const auto period =
      words.value.has_period ? words.value.period_us : static_cast<std::uint64_t>(state.period_us);
  const auto quota = words.value.unlimited ? std::numeric_limits<std::uint64_t>::max() : words.value.quota_us;
  return set_bandwidth(group, period, quota, static_cast<std::uint64_t>(state.burst_us));
}

int KernelRules::write_cpus(int group, std::string_view text) {
  const auto list = kernel_cpu_list(stripped(text), kind_.cpu_ids);
  if (list.code != 0) return list.code;
  // A CPU that is possible but offline: v1 accepts active ones only, v2 stores it for later.
  if (!kind_.cpuset_v2 && !list.value.subset_of(kind_.online)) return EINVAL;
  return set_cpus(group, list.value);
}

int KernelRules::write_plain(int group, Knob knob, std::string_view text) {
  if (row(knob).values.kind == ValueKind::number) {
    const auto number = kernel_s64(stripped(text));
    return number.code != 0 ? number.code : set_plain(group, knob, number.value);
  }
  const auto bytes = kernel_bytes(stripped(text));
  if (bytes.code != 0) return bytes.code;
  return set_plain(group, knob, bytes.value ? KnobValue{*bytes.value} : KnobValue{Unlimited{}});
}

std::optional<std::string> KernelRules::read(int group, std::string_view file) const {
  const auto& state = groups_[index(group)];
  if (state.gone) return std::nullopt;
  if (file == "cpuset.cpus") return state.cpus.text() + "\n";
  if (file == "cpuset.cpus.effective" && kind_.cpuset_v2) return effective_cpus(group).text() + "\n";
  if (const auto plain = plain_knob(kind_, file)) {
    const auto held = value(group, *plain);
    const auto* number = std::get_if<std::int64_t>(&held);
    if (number != nullptr) return std::to_string(*number) + "\n";
    return std::string(unlimited_word(kind_, *plain) == "max" ? "max" : kV1NoLimit) + "\n";
  }
  if (!has_cpu_file(kind_, file)) return std::nullopt;
  const auto line = [](std::int64_t number) { return std::to_string(number) + "\n"; };
  if (file == "cpu.max")
    return (state.quota_us < 0 ? "max" : std::to_string(state.quota_us)) + " " + line(state.period_us);
  if (file == "cpu.cfs_quota_us") return line(state.quota_us);
  if (file == "cpu.cfs_period_us") return line(state.period_us);
  if (file == "cpu.idle") return line(state.idle ? 1 : 0);
  if (file == "cpu.shares") return line(state.shares);
  return line(file == "cpu.weight" ? weight(group) : state.burst_us);
}

}  // namespace evenkeel::kernel
