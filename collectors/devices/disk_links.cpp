#include <unistd.h>

#include <array>
#include <climits>
#include <string_view>

#include "collectors/devices/devices.h"

namespace evenkeel::devices {
namespace {

const std::string kLinks = "dev/disk";
constexpr std::string_view kBelowDev = "disk/";
constexpr std::size_t kMostLinks = 16384;

/// "../../sda1" points to sda1. Empty: not a link, or unreadable.
std::string device_behind(const Fd& dir, const std::string& name) {
  std::array<char, PATH_MAX> target;
  const auto size = ::readlinkat(dir.get(), name.c_str(), target.data(), target.size());
  if (size <= 0 || static_cast<std::size_t>(size) == target.size()) return {};
  const std::string_view text(target.data(), static_cast<std::size_t>(size));
  return std::string(text.substr(text.rfind('/') + 1));
}

}  // namespace

std::vector<DiskLink> read_disk_links(const Host& host) {
  std::vector<DiskLink> out;
  for (const auto& kind : host.subdirs(kLinks).value_or(std::vector<std::string>())) {
    const auto path = kLinks + '/' + kind;
    const auto dir = host.open_dir(path);
    if (!dir) continue;
    for (const auto& name : host.files(path).value_or(std::vector<std::string>())) {
      auto device = device_behind(*dir, name);
      if (device.empty() || out.size() == kMostLinks) continue;
      out.push_back({std::string(kBelowDev) + kind + '/' + name, std::move(device)});
    }
  }
  return out;
}

std::uint64_t disk_links_signature(const Host& host, const DiskMap& map, std::string& path) {
  std::uint64_t sum = host.listing_sum(kLinks);
  std::string_view previous;
  for (const auto& [name, disks] : map.devices) {  // sorted: links of one directory are adjacent
    const std::string_view whole = name;
    if (!whole.starts_with(kBelowDev)) continue;
    const auto dir = whole.substr(0, whole.rfind('/'));
    if (dir == previous) continue;
    previous = dir;
    sum = sum * 31 + host.listing_sum(path.assign("dev/").append(dir));
  }
  return sum;
}

}  // namespace evenkeel::devices
