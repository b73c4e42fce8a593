#include "qos/model/disk_map.h"

#include <algorithm>

namespace evenkeel {
namespace {

std::span<const DiskNumber> named(const std::vector<DiskMap::Name>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &DiskMap::Name::name);
  return found == names.end() ? std::span<const DiskNumber>() : found->disks;
}

/// The directory of a claim's volume has the name of a volume that only the API server knows.
bool names_no_claim(const Pod& pod, std::string_view directory) {
  return std::ranges::any_of(pod.volumes,
                             [&](const PodVolume& v) { return !v.is_claim && v.name == directory; });
}

}  // namespace

/// The pod's mounts for its claims, if it does not matter which is which: there is one, or all of them lie on
/// the same disks.
std::span<const DiskNumber> DiskMap::of_claim(const Pod& pod) const {
  const auto claims = std::ranges::count_if(pod.volumes, &PodVolume::is_claim);
  std::ptrdiff_t mounted = 0;
  std::span<const DiskNumber> disks;
  for (const auto& volume : volumes) {
    if (volume.uid != pod.uid || names_no_claim(pod, volume.directory)) continue;
    if (mounted++ > 0 && !std::ranges::equal(disks, volume.disks)) return {};
    disks = volume.disks;
  }
  return mounted == claims ? disks : std::span<const DiskNumber>();
}

std::span<const DiskNumber> DiskMap::of_volume(std::string_view name, const Pod& pod) const {
  const auto spec = std::ranges::find(pod.volumes, name, &PodVolume::name);
  if (spec == pod.volumes.end()) return {};
  if (spec->is_claim) return of_claim(pod);
  const auto found =
      std::ranges::find_if(volumes, [&](const Volume& v) { return v.uid == pod.uid && v.directory == name; });
  return found == volumes.end() ? std::span<const DiskNumber>() : found->disks;
}

std::span<const DiskNumber> DiskMap::disks_of(const Block& block, const Pod* pod) const {
  std::string_view name = block.name;
  switch (block.type) {
    case BlockType::device:
      if (name.starts_with("/dev/")) name.remove_prefix(5);
      return named(devices, name);
    case BlockType::volume_group:
      return named(groups, name);
    case BlockType::pod_volume:
      return pod == nullptr ? std::span<const DiskNumber>() : of_volume(name, *pod);
  }
  return {};
}

bool DiskMap::has_bfq(DiskNumber disk) const { return std::ranges::find(bfq, disk) != bfq.end(); }

}  // namespace evenkeel
