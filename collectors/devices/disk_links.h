// The lasting names of disks that udev makes below /dev/disk: by-id, by-uuid, by-path, by-label and what else
// there is. They are symbolic links, and their texts say all: no device is opened, none has to be there.
// May not: know what a device is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "qos/model/disk_map.h"

namespace evenkeel::devices {

struct DiskLink {
  std::string name{};    ///< as below /dev: "disk/by-id/wwn-0x5000c500a1b2c3d4-part1"
  std::string device{};  ///< the kernel's name of what it leads to: "sda1"
};

/// Empty where there is no /dev/disk, as in a container that was not given the host's.
std::vector<DiskLink> read_disk_links(const Host& host);

/// Changes when one of the directories comes or goes, and when a link in those that `map` knows does or leads
/// elsewhere. `path` is room to work in; with it kept, nothing is allocated.
std::uint64_t disk_links_signature(const Host& host, const DiskMap& map, std::string& path);

}  // namespace evenkeel::devices
