// Readers of the machine's disks, network interface and resctrl file system.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/host.h"
#include "qos/model/disk_map.h"
#include "qos/model/io_limits.h"
#include "qos/model/resctrl.h"
#include "qos/model/snapshot.h"

namespace evenkeel::devices {

// The persistent names of disks, which udev creates below /dev/disk: by-id, by-uuid, by-path, by-label and
// others. Reads only the text of the symbolic links: opens no device, and the device need not exist. Does not
// know what a device is.

struct DiskLink {
  std::string name{};    ///< relative to /dev: "disk/by-id/wwn-0x5000c500a1b2c3d4-part1"
  std::string device{};  ///< the kernel's name of its target: "sda1"
};

/// Empty without /dev/disk, as in a container into which the host's is not mounted.
std::vector<DiskLink> read_disk_links(const Host& host);

/// Changes when one of the directories appears or disappears, and when a link in the directories known to
/// `map` does or changes its target. `path` is scratch space; while it is kept, nothing is allocated.
std::uint64_t disk_links_signature(const Host& host, const DiskMap& map, std::string& path);

// Maps device names to the machine's disks, from sysfs and the mount table, without running a program. Does
// not say what may be done on them.

/// `with_volumes`: includes the volumes of pods. `buffer` is for the mount table.
DiskMap read_disks(const Host& host, std::span<char> buffer, bool with_volumes);

/// Changes when a block device appears or disappears, and when a volume of a pod is mounted or unmounted.
std::uint64_t disks_signature(const Host& host, std::span<char> buffer, bool with_volumes);

/// Changes with properties of the devices in `map` that the device listing does not show: partitions, the
/// name and lower devices of a mapped device, schedulers, links below /dev/disk. `path` is scratch space;
/// while it is kept, nothing is allocated.
std::uint64_t devices_signature(const Host& host, const DiskMap& map, std::span<char> buffer,
                                std::string& path);

// What disks have done, from /proc/diskstats, and what best effort's part of that is, from its io.stat
// (cgroup v2). Does not judge it.

/// Replaces `out` by the whole disks of `map`. `buffer` is for one line. False: it cannot be read.
bool read_disk_use(const Host& host, std::span<char> buffer, const DiskMap& map, std::vector<DiskUse>& out);
/// One line of /proc/diskstats; absent: not understood.
std::optional<DiskUse> parse_disk_use(std::string_view line);
/// Adds what the text of an io.stat says of the disks in `out`.
void add_besteffort_use(std::string_view io_stat, std::vector<DiskUse>& out);

// Finds the interface of the default route from the routing tables and sysfs. Reads nothing else about the
// network.

/// One line of /proc/net/route or /proc/net/ipv6_route.
struct DefaultRoute {
  std::string_view link{};
  std::uint32_t metric = 0;
};
/// Absent: the line is not a usable default route.
std::optional<DefaultRoute> read_route(std::string_view line);
std::optional<DefaultRoute> read_route6(std::string_view line);

/// The interface of the default route with the lowest metric, IPv4 before IPv6; false if there is none.
/// `path` is scratch space; while it and `out` are kept, an unchanged interface allocates nothing.
bool read_link(const Host& host, std::span<char> buffer, std::string& path, NetworkLink& out);

// Reads what the resctrl file system can do (at first, and again when the root's schemata or the groups
// change) and what its groups use. Does not keep files open there, because that would block an
// unmount.

/// Everything below info/ that decides what may be written, and the domains of the root's schemata. Absent:
/// not mounted, or not understood.
std::optional<ResctrlSystem> read_resctrl(const Host& host);

}  // namespace evenkeel::devices
