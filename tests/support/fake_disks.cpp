#include "tests/support/fake_disks.h"

#include <cerrno>

#include "cgroup/kernel_text.h"
#include "cgroup/text.h"

namespace evenkeel::test {
namespace {

constexpr const char* kKeys[] = {"rbps", "wbps", "riops", "wiops"};
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
  if (v2_) return file == "io.max" || (weights && file == "io.weight");
  return is_throttle(file) || (weights && file == "blkio.cost.weight");
}

/// tg_set_limit(): any of the four, each "max" or a number above 0.
int FakeDisks::write_max(std::map<std::string, std::string>& line, std::string_view rest) const {
  auto changed = line;
  Scanner scan(rest);
  for (auto word = scan.word(); !word.empty(); word = scan.word()) {
    const auto cut = word.find('=');
    const std::string key(word.substr(0, cut));
    if (cut == std::string_view::npos) return EINVAL;
    const std::string value(word.substr(cut + 1));
    bool known = false;
    for (const auto* name : kKeys) known = known || key == name;
    const auto number = kernel_u64(value);
    if (!known || (value != "max" && number.code != 0)) return EINVAL;
    if (value != "max" && number.value == 0) return ERANGE;
    changed[key] = value;
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
  if (file == "io.max") return write_max(line, rest);
  const bool weight = !is_throttle(file);
  const auto number = kernel_u64(rest);
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
    for (const auto* key : kKeys) {
      const auto value = line.find(key);
      const std::string word = value == line.end() ? "max" : value->second;
      limited = limited || word != "max";
      parts += std::string(" ") + key + "=" + word;
    }
    if (limited) out += device + parts + "\n";
  }
  return out;
}

void FakeDisks::forget(const std::string& cgroup) {
  std::erase_if(files_, [&](const auto& item) { return item.first.starts_with(cgroup + "/"); });
}

}  // namespace evenkeel::test
