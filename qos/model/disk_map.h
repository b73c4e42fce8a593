// Maps names to whole disks: a device, a volume group, a volume of a pod. As read from the machine by the
// collector of disks. Does not read anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qos/model/io_limits.h"
#include "qos/model/pod.h"

namespace evenkeel {

/// The kernel's number of a whole disk, as CgroupId::disk.
using DiskNumber = std::uint32_t;

struct DiskMap {
  struct Name {
    std::string name{};
    std::vector<DiskNumber> disks{};
    bool operator==(const Name&) const = default;
  };
  struct Volume {
    std::string uid{};        ///< the pod's
    std::string directory{};  ///< in the kubelet's directory of its plugin: the volume's name, or its claim's
                              ///< volume's
    std::vector<DiskNumber> disks{};
    bool operator==(const Volume&) const = default;
  };
  std::vector<Name> devices{};    ///< as below /dev: "vda1", "mapper/vg-lv"; a partition leads to its disk
  std::vector<Name> groups{};     ///< LVM volume groups
  std::vector<Volume> volumes{};  ///< those that are mounted
  std::vector<DiskNumber> bfq{};  ///< disks whose scheduler is BFQ, which has weights of its own
  bool operator==(const DiskMap&) const = default;

  /// Empty: the name resolves to no disk, or that is unknown. `pod` null: not of a pod.
  [[nodiscard]] std::span<const DiskNumber> disks_of(const Block& block, const Pod* pod) const;
  [[nodiscard]] bool has_bfq(DiskNumber disk) const;

 private:
  [[nodiscard]] std::span<const DiskNumber> of_volume(std::string_view name, const Pod& pod) const;
  [[nodiscard]] std::span<const DiskNumber> of_claim(const Pod& pod) const;
};

}  // namespace evenkeel
