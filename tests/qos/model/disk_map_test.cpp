// Which disks a name leads to.
#include "qos/model/disk_map.h"

#include <gtest/gtest.h>

namespace evenkeel {
namespace {

using Disks = std::vector<DiskNumber>;

DiskMap machine() {
  DiskMap out;
  out.devices = {{"mapper/vg-data", {7}}, {"vda", {1}}, {"vda1", {1}}, {"vdb", {2}}};
  out.groups = {{"vg", {2, 3}}};
  out.volumes = {{"u1", "scratch", {2}}, {"u1", "pvc-1", {3}}, {"u2", "pvc-2", {3}},
                 {"u2", "pvc-3", {3}},   {"u3", "pvc-4", {2}}, {"u3", "pvc-5", {3}}};
  return out;
}
Disks disks(const std::string& name, BlockType type, const Pod* pod = nullptr) {
  const auto map = machine();
  const auto found = map.disks_of({name, type, {}}, pod);
  return {found.begin(), found.end()};
}
Pod pod(const char* uid, std::vector<PodVolume> volumes) {
  Pod out{.uid = uid};
  out.volumes = std::move(volumes);
  return out;
}

TEST(DiskMap, DevicesAndGroups) {
  EXPECT_EQ(disks("/dev/vdb", BlockType::device), Disks{2});
  EXPECT_EQ(disks("vda1", BlockType::device), Disks{1}) << "a partition leads to its disk";
  EXPECT_EQ(disks("/dev/mapper/vg-data", BlockType::device), Disks{7});
  EXPECT_EQ(disks("vg", BlockType::volume_group), (Disks{2, 3})) << "a group may lie on several";
  for (const char* name : {"/dev/nope", "", "/dev/", "vg"})
    EXPECT_EQ(disks(name, BlockType::device), Disks{});
  EXPECT_EQ(disks("vdb", BlockType::volume_group), Disks{});
}

TEST(DiskMap, VolumesOfAPod) {
  const auto one = pod("u1", {{"data", true}, {"scratch", false}});
  EXPECT_EQ(disks("scratch", BlockType::pod_volume, &one), Disks{2});
  EXPECT_EQ(disks("data", BlockType::pod_volume, &one), Disks{3}) << "what is left is the claim's";
  EXPECT_EQ(disks("other", BlockType::pod_volume, &one), Disks{});
  EXPECT_EQ(disks("scratch", BlockType::pod_volume), Disks{}) << "no pod, no volume";
}

TEST(DiskMap, ClaimsThatCannotBeToldApartMustLieOnTheSameDisks) {
  const auto same = pod("u2", {{"data", true}, {"log", true}});
  EXPECT_EQ(disks("log", BlockType::pod_volume, &same), Disks{3});
  const auto apart = pod("u3", {{"data", true}, {"log", true}});
  EXPECT_EQ(disks("log", BlockType::pod_volume, &apart), Disks{});
  const auto one_not_mounted = pod("u1", {{"data", true}, {"log", true}, {"scratch", false}});
  EXPECT_EQ(disks("data", BlockType::pod_volume, &one_not_mounted), Disks{});
}

}  // namespace
}  // namespace evenkeel
