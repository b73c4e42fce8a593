// Maps device names to the machine's disks, from sysfs and the mount table, without running a program. Does
// not say what may be done on them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cgroup/base/host.h"
#include "qos/model/disk_map.h"

namespace evenkeel::devices {

/// `with_volumes`: includes the volumes of pods. `buffer` is for the mount table.
DiskMap read_disks(const Host& host, std::span<char> buffer, bool with_volumes);

/// Changes when a block device appears or disappears, and when a volume of a pod is mounted or unmounted.
std::uint64_t disks_signature(const Host& host, std::span<char> buffer, bool with_volumes);

/// Changes with properties of the devices in `map` that the device listing does not show: partitions, the
/// name and lower devices of a mapped device, schedulers, links below /dev/disk. `path` is scratch space;
/// while it is kept, nothing is allocated.
std::uint64_t devices_signature(const Host& host, const DiskMap& map, std::span<char> buffer,
                                std::string& path);

}  // namespace evenkeel::devices
