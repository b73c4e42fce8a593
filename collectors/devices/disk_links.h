// The persistent names of disks, which udev creates below /dev/disk: by-id, by-uuid, by-path, by-label and
// others. Reads only the text of the symbolic links: opens no device, and the device need not exist. Does not
// know what a device is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "qos/model/disk_map.h"

namespace evenkeel::devices {

struct DiskLink {
  std::string name{};    ///< relative to /dev: "disk/by-id/wwn-0x5000c500a1b2c3d4-part1"
  std::string device{};  ///< the kernel's name of its target: "sda1"
};

/// Empty without /dev/disk, as in a container into which the host's is not mounted.
std::vector<DiskLink> read_disk_links(const Host& host);

/// Changes when one of the directories appears or disappears, and when a link in the directories known to
/// `map` does or changes its target. `path` is scratch space; while it is kept, nothing is allocated.
std::uint64_t disk_links_signature(const Host& host, const DiskMap& map, std::string& path);

}  // namespace evenkeel::devices
