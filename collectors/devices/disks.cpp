#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "cgroup/base/disk_text.h"
#include "collectors/base/reading.h"
#include "collectors/devices/devices.h"

namespace evenkeel::devices {
namespace {

const std::string kBlocks = "sys/block";
constexpr std::size_t kMostDevices = 4096;
constexpr std::size_t kLargestTable = std::size_t{64} << 20U;
/// The most layers of device mapping to look through.
constexpr int kDeepest = 8;

std::string text_in(const Host& host, const std::string& path) {
  const auto text = host.slurp(path);
  return text ? std::string(trimmed(*text)) : std::string();
}

/// sysfs has links there; a fake root may have directories.
std::vector<std::string> entries(const Host& host, const std::string& path) {
  auto out = host.files(path).value_or(std::vector<std::string>());
  for (auto& name : host.subdirs(path).value_or(std::vector<std::string>())) out.push_back(std::move(name));
  return out;
}

void add_all(std::vector<DiskNumber>& to, std::span<const DiskNumber> more) {
  to.insert(to.end(), more.begin(), more.end());
  std::ranges::sort(to);
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

/// LVM's "vg--data-root" is the volume root of group "vg-data": a single dash separates, a double one is a
/// dash.
std::optional<std::pair<std::string, std::string>> group_and_volume(std::string_view name) {
  std::string parts[2];
  std::size_t part = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool doubled = name[i] == '-' && i + 1 < name.size() && name[i + 1] == '-';
    if (name[i] == '-' && !doubled) {
      if (++part > 1) return std::nullopt;
      continue;
    }
    parts[part] += name[i];
    if (doubled) ++i;
  }
  if (part != 1 || parts[0].empty() || parts[1].empty()) return std::nullopt;
  return std::pair(parts[0], parts[1]);
}

struct Device {
  DiskNumber number = 0;
  std::string disk{};  ///< for a partition; empty: it is a whole disk
  std::vector<std::string> slaves{};
};

class Disks {
 public:
  explicit Disks(const Host& host) : host_(host) {
    for (const auto& name : entries(host, kBlocks))
      if (devices_.size() < kMostDevices) add_disk(name);
  }

  DiskMap map() {
    for (const auto& [name, device] : devices_) add_names(name, device);
    for (auto& link : read_disk_links(host_))
      if (const auto found = devices_.find(link.device); found != devices_.end())
        map_.devices.push_back({std::move(link.name), {whole_disk(found->second)}});
    std::ranges::sort(map_.devices, {}, &DiskMap::Name::name);
    std::ranges::sort(map_.bfq);
    for (auto& [name, disks] : groups_) map_.groups.push_back({name, std::move(disks)});
    return std::move(map_);
  }

  /// The physical disks below a mounted device, through all volume managers.
  [[nodiscard]] std::vector<DiskNumber> beneath(DiskNumber number) const {
    for (const auto& [name, device] : devices_)
      if (device.number == number) return beneath(name, 0);
    return {};
  }
  [[nodiscard]] DiskNumber number_of(std::string_view name) const {
    const auto found = devices_.find(std::string(name));
    return found == devices_.end() ? 0 : found->second.number;
  }

 private:
  void add_disk(const std::string& name) {
    const auto dir = kBlocks + '/' + name;
    const auto number = parse_device(text_in(host_, dir + "/dev"));
    if (!number) return;
    devices_[name] = {*number, {}, entries(host_, dir + "/slaves")};
    for (const auto& part : host_.subdirs(dir).value_or(std::vector<std::string>())) {
      if (!part.starts_with(name) || !host_.exists(dir + '/' + part + "/partition")) continue;
      if (const auto of_part = parse_device(text_in(host_, dir + '/' + part + "/dev")))
        devices_[part] = {*of_part, name, {}};
    }
  }

  [[nodiscard]] std::vector<DiskNumber> beneath(const std::string& name, int depth) const {
    const auto found = devices_.find(name);
    if (found == devices_.end() || depth > kDeepest) return {};
    const auto& device = found->second;
    if (!device.disk.empty()) return beneath(device.disk, depth + 1);
    if (device.slaves.empty()) return {device.number};
    std::vector<DiskNumber> out;
    for (const auto& slave : device.slaves) add_all(out, beneath(slave, depth + 1));
    return out;
  }

  [[nodiscard]] DiskNumber whole_disk(const Device& device) const {
    return device.disk.empty() ? device.number : number_of(device.disk);
  }

  void add_names(const std::string& name, const Device& device) {
    const auto number = whole_disk(device);
    map_.devices.push_back({name, {number}});
    if (!device.disk.empty()) return;
    const auto dir = kBlocks + '/' + name;
    if (text_in(host_, dir + "/queue/scheduler").find("[bfq]") != std::string::npos)
      map_.bfq.push_back(number);
    const auto mapped = text_in(host_, dir + "/dm/name");
    if (mapped.empty()) return;
    map_.devices.push_back({"mapper/" + mapped, {number}});
    const auto of_group = group_and_volume(mapped);
    if (!of_group || !text_in(host_, dir + "/dm/uuid").starts_with("LVM-")) return;
    map_.devices.push_back({of_group->first + '/' + of_group->second, {number}});
    add_all(groups_[of_group->first], beneath(name, 0));
  }

  const Host& host_;
  std::map<std::string, Device> devices_{};
  std::map<std::string, std::vector<DiskNumber>> groups_{};
  DiskMap map_{};
};

/// A mounted volume of a pod, as one line of the mount table gives it.
struct Mounted {
  DiskNumber device = 0;  ///< 0: only `source` identifies it
  std::string_view uid, directory, source;
};

/// Consumes the text up to the next '/'.
std::string_view component(std::string_view& path) {
  const auto end = std::min(path.find('/'), path.size());
  const auto out = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return out;
}

/// ".../pods/UID/volumes/PLUGIN/NAME", followed by "/mount" for CSI.
bool read_place(std::string_view path, Mounted& out) {
  constexpr std::string_view kVolumes = "/volumes/";
  const auto at = path.find(kVolumes);
  if (at == std::string_view::npos) return false;
  const auto above = path.substr(0, at);
  const auto slash = above.rfind('/');
  if (slash == std::string_view::npos || !above.substr(0, slash).ends_with("/pods")) return false;
  out.uid = above.substr(slash + 1);
  auto rest = path.substr(at + kVolumes.size());
  const auto plugin = component(rest);
  out.directory = component(rest);
  return !plugin.empty() && !out.directory.empty() && (rest.empty() || rest == "mount");
}

std::optional<Mounted> read_mount(std::string_view line) {
  Mounted out;
  Scanner scan(line);
  scan.word();
  scan.word();
  out.device = parse_device(scan.word()).value_or(0);
  scan.word();
  if (!read_place(scan.word(), out)) return std::nullopt;
  const auto dash = line.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  Scanner tail(line.substr(dash + 3));
  tail.word();
  out.source = tail.word();
  // A file system without a device of its own (btrfs) is identified by its source only.
  if ((out.device >> 20U) == 0) out.device = 0;
  return out;
}

/// Calls f(mounted) for every mounted volume of a pod.
template <class F>
void for_each_volume(const Host& host, std::span<char> buffer, F&& f) {
  static const std::string kTables[] = {"proc/1/mountinfo", "proc/self/mountinfo"};
  const auto take = [&](std::string_view line) {
    if (const auto mounted = read_mount(line)) f(*mounted);
  };
  for (const auto& table : kTables)
    if (collectors::for_each_line(host, table, buffer, kLargestTable, take)) return;
}

void add_volumes(const Host& host, std::span<char> buffer, const Disks& disks, DiskMap& map) {
  for_each_volume(host, buffer, [&](const Mounted& mounted) {
    auto source = mounted.source;
    if (source.starts_with("/dev/")) source.remove_prefix(5);
    const auto device = mounted.device != 0 ? mounted.device : disks.number_of(source);
    auto beneath = disks.beneath(device);
    if (beneath.empty()) return;
    map.volumes.push_back({std::string(mounted.uid), std::string(mounted.directory), std::move(beneath)});
  });
}

}  // namespace

DiskMap read_disks(const Host& host, std::span<char> buffer, bool with_volumes) {
  Disks disks(host);
  auto map = disks.map();
  if (with_volumes) add_volumes(host, buffer, disks, map);
  return map;
}

std::uint64_t disks_signature(const Host& host, std::span<char> buffer, bool with_volumes) {
  std::uint64_t sum = host.listing_sum(kBlocks);
  if (!with_volumes) return sum;
  for_each_volume(host, buffer, [&](const Mounted& mounted) {
    const std::hash<std::string_view> hash;
    sum = sum * 31 + (hash(mounted.uid) ^ hash(mounted.directory) ^ mounted.device);
  });
  return sum;
}

std::uint64_t devices_signature(const Host& host, const DiskMap& map, std::span<char> buffer,
                                std::string& path) {
  std::uint64_t sum = disk_links_signature(host, map, path);
  const auto at = [&](const std::string& name, std::string_view what) -> const std::string& {
    return path.assign(kBlocks).append(1, '/').append(name).append(what);
  };
  const auto add = [&](std::uint64_t part) { sum = sum * 31 + part; };
  const auto add_text = [&](const std::string& file) {
    add(std::hash<std::string_view>()(collectors::first_part(host, file, buffer)));
  };
  for (const auto& [name, disks] : map.devices) {
    if (name.find('/') != std::string::npos) continue;  // another name of a known device
    const auto listed = host.listing_sum(at(name, ""));
    add(listed);
    if (listed == 0) continue;  // a partition: its disk lists it
    add(host.listing_sum(at(name, "/slaves")));
    add_text(at(name, "/dm/name"));
    add_text(at(name, "/queue/scheduler"));
  }
  return sum;
}

}  // namespace evenkeel::devices
