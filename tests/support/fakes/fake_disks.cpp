#include "tests/support/fakes/fake_disks.h"

#include <cerrno>
#include <span>

#include "cgroup/base/text.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::test {
namespace {

constexpr std::string_view kMaxKeys[] = {"rbps", "wbps", "riops", "wiops"}, kLatencyKeys[] = {"target"};

std::span<const std::string_view> keys_of(std::string_view file) {
  if (file == "io.latency") return kLatencyKeys;
  if (file == "io.max") return kMaxKeys;
  return {};
}
constexpr std::string_view kThrottles[] = {
    "blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device", "blkio.throttle.read_iops_device",
    "blkio.throttle.write_iops_device"};

bool is_throttle(std::string_view file) {
  for (const auto name : kThrottles)
    if (file == name) return true;
  return false;
}

}  // namespace

bool FakeDisks::has(std::string_view file) const {
  if (v2_) return file == "io.max" || (weights && file == "io.weight") || (latencies && file == "io.latency");
  return is_throttle(file) || (weights && file == "blkio.cost.weight");
}

/// As tg_set_limit() and iolatency_set_limit(): any of the parts, each "max" or a number above 0; for
/// io.latency 0 means "max".
int FakeDisks::write_parts(std::string_view file, std::map<std::string, std::string>& line,
                           std::string_view rest) const {
  auto changed = line;
  Scanner scan(rest);
  for (auto word = scan.word(); !word.empty(); word = scan.word()) {
    const auto cut = word.find('=');
    const std::string key(word.substr(0, cut));
    if (cut == std::string_view::npos) return EINVAL;
    const std::string value(word.substr(cut + 1));
    bool known = false;
    for (const auto name : keys_of(file)) known = known || key == name;
    const auto number = kernel::kernel_u64(value);
    if (!known || (value != "max" && number.code != 0)) return EINVAL;
    const bool none = value != "max" && number.value == 0;
    if (none && file == "io.max") return ERANGE;
    changed[key] = none ? "max" : value;
  }
  line = changed;
  return 0;
}

int FakeDisks::write(const std::string& cgroup, std::string_view file, std::string_view text) {
  if (!has(file)) return ENOENT;
  Scanner scan(trimmed(text));
  const std::string device(scan.word());
  const auto rest = trimmed(scan.rest());
  if (device.find(':') == std::string::npos) return EINVAL;
  if (!devices.contains(device)) return ENODEV;
  auto& line = files_[cgroup + "/" + std::string(file)][device];
  if (!keys_of(file).empty()) return write_parts(file, line, rest);
  const bool weight = !is_throttle(file);
  const auto number = kernel::kernel_u64(rest);
  if (weight && rest == "default") return line.clear(), 0;
  if (number.code != 0 || (weight && (number.value < 1 || number.value > 10000))) return EINVAL;
  line.clear();
  if (number.value != 0) line["value"] = std::to_string(number.value);
  return 0;
}

std::string FakeDisks::read(const std::string& cgroup, std::string_view file) const {
  std::string out = file.ends_with(".weight") ? "default 100\n" : "";
  const auto found = files_.find(cgroup + "/" + std::string(file));
  if (found == files_.end()) return out;
  for (const auto& [device, line] : found->second) {
    if (const auto value = line.find("value"); value != line.end())
      out += device + " " + value->second + "\n";
    std::string parts;
    bool limited = false;
    for (const auto key : keys_of(file)) {
      const auto value = line.find(std::string(key));
      const std::string word = value == line.end() ? "max" : value->second;
      limited = limited || word != "max";
      parts.append(" ").append(key).append("=").append(word);
    }
    if (limited) out += device + parts + "\n";
  }
  return out;
}

void FakeDisks::forget(const std::string& cgroup) {
  std::erase_if(files_, [&](const auto& item) { return item.first.starts_with(cgroup + "/"); });
}

}  // namespace evenkeel::test
