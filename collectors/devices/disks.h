// The machine's disks: which names lead to which of them, from sysfs and the mount table, without asking a
// program. May not: say what may be done on them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cgroup/base/host.h"
#include "qos/model/disk_map.h"

namespace evenkeel::devices {

/// `with_volumes`: the volumes of pods too. `buffer` is for the mount table.
DiskMap read_disks(const Host& host, std::span<char> buffer, bool with_volumes);

/// Changes when a block device comes or goes, and when a volume of a pod is mounted or unmounted.
std::uint64_t disks_signature(const Host& host, std::span<char> buffer, bool with_volumes);

/// Changes with what the listing of devices does not show of those in `map`: partitions, what a mapped device
/// lies on and is called, schedulers, links below /dev/disk. `path` is room to work in; with it kept, nothing
/// is allocated.
std::uint64_t devices_signature(const Host& host, const DiskMap& map, std::span<char> buffer,
                                std::string& path);

}  // namespace evenkeel::devices
