// The map of disks, from a sysfs and a mount table of plain files.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "cgroup/base/disk_text.h"
#include "collectors/devices/devices.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/malformed.h"
#include "tests/support/scenes/sampler_node.h"

namespace evenkeel::test {
namespace {

using Disks = std::vector<DiskNumber>;

DiskNumber number(const char* text) { return parse_device(text).value_or(0); }

/// Two disks; the second belongs to a volume group with an encrypted volume.
void lay_out(FakeHost& host) {
  const std::string block = "sys/block/";
  host.file(block + "vda/dev", "254:0\n")
      .file(block + "vda/vda1/dev", "254:1\n")
      .file(block + "vda/vda1/partition", "1\n")
      .file(block + "vda/queue/scheduler", "mq-deadline [bfq] none\n")
      .file(block + "vdb/dev", "254:16\n")
      .file(block + "vdb/vdb1/dev", "254:17\n")
      .file(block + "vdb/vdb1/partition", "1\n")
      .file(block + "vdb/queue/scheduler", "[none]\n")
      .file(block + "dm-0/dev", "253:0\n")
      .file(block + "dm-0/dm/name", "my--vg-data\n")
      .file(block + "dm-0/dm/uuid", "LVM-abc\n")
      .link(block + "dm-0/slaves/vdb1", "../../vdb/vdb1")
      .file(block + "dm-1/dev", "253:1\n")
      .file(block + "dm-1/dm/name", "luks-x-y\n")
      .file(block + "dm-1/dm/uuid", "CRYPT-LUKS2-x\n")
      .link(block + "dm-1/slaves/dm-0", "../../dm-0");
}

std::string mount(const std::string& device, const std::string& place, const std::string& source = "/dev/x") {
  return "40 30 " + device + " / " + place + " rw,relatime shared:7 - ext4 " + source + " rw\n";
}
const std::string kPods = "/var/lib/kubelet/pods/";

DiskMap seen(const FakeHost& fake) {
  std::array<char, 1024> buffer;
  return devices::read_disks(*Host::open(fake.root()), buffer, true);
}
Disks device(const DiskMap& map, const char* name) {
  const auto found = map.disks_of({name, BlockType::device, {}}, nullptr);
  return {found.begin(), found.end()};
}

TEST(DisksOf, NamesLeadToWholeDisks) {
  FakeHost host;
  lay_out(host);
  const auto map = seen(host);
  EXPECT_EQ(device(map, "/dev/vda1"), Disks{number("254:0")});
  EXPECT_EQ(device(map, "/dev/vdb"), Disks{number("254:16")});
  EXPECT_EQ(device(map, "/dev/mapper/my--vg-data"), Disks{number("253:0")}) << "it can be limited itself";
  EXPECT_EQ(device(map, "/dev/my-vg/data"), Disks{number("253:0")});
  ASSERT_EQ(map.groups.size(), 1U) << "only what LVM made is a group";
  EXPECT_EQ(map.groups[0].name, "my-vg");
  EXPECT_EQ(map.groups[0].disks, Disks{number("254:16")});
  EXPECT_TRUE(map.has_bfq(number("254:0")));
  EXPECT_FALSE(map.has_bfq(number("254:16")));
}

TEST(DisksOf, PersistentNamesLeadToTheTargetsOfTheirLinks) {
  FakeHost host;
  lay_out(host);
  EXPECT_EQ(device(seen(host), "/dev/disk/by-id/ata-QEMU_1-part1"), Disks{})
      << "a container without /dev/disk";
  // Only the links: no device node has to exist.
  host.link("dev/disk/by-id/ata-QEMU_1-part1", "../../vda1")
      .link("dev/disk/by-uuid/1f0a-22", "../../vda1")
      .link("dev/disk/by-path/pci-0000:00:05.0", "../../vdb")
      .link("dev/disk/by-label/data\\x20one", "../../dm-1")
      .link("dev/disk/by-label/gone", "../../vdz")
      .file("dev/disk/by-label/no_link", "vda\n")
      .link("dev/disk/loose", "../vda");
  const auto map = seen(host);
  EXPECT_EQ(device(map, "/dev/disk/by-id/ata-QEMU_1-part1"), Disks{number("254:0")}) << "of a partition";
  EXPECT_EQ(device(map, "/dev/disk/by-uuid/1f0a-22"), Disks{number("254:0")});
  EXPECT_EQ(device(map, "/dev/disk/by-path/pci-0000:00:05.0"), Disks{number("254:16")});
  EXPECT_EQ(device(map, "/dev/disk/by-label/data\\x20one"), Disks{number("253:1")}) << "as udev spells it";
  for (const auto* none : {"/dev/disk/by-label/gone", "/dev/disk/by-label/no_link", "/dev/disk/loose"})
    EXPECT_EQ(device(map, none), Disks{}) << none;
}

TEST(DisksOf, AddedRemovedAndChangedLinksAreNoticed) {
  FakeHost host;
  lay_out(host);
  const auto root = *Host::open(host.root());
  std::array<char, 1024> buffer;
  std::string path;
  std::vector<std::uint64_t> sums;
  const auto look = [&] {
    sums.push_back(devices::devices_signature(root, devices::read_disks(root, buffer, false), buffer, path));
  };
  look();
  host.link("dev/disk/by-id/one", "../../vda");
  look();
  host.link("dev/disk/by-id/two", "../../vda");
  look();
  host.remove("dev/disk/by-id/two").link("dev/disk/by-id/.new", "../../vdb");
  std::filesystem::rename(host.root() + "/dev/disk/by-id/.new",
                          host.root() + "/dev/disk/by-id/one");  // as udev does
  look();
  for (std::size_t i = 1; i < sums.size(); ++i) EXPECT_NE(sums[i], sums[i - 1]) << i;
  const auto map = devices::read_disks(root, buffer, false);
  EXPECT_EQ(device(map, "/dev/disk/by-id/one"), Disks{number("254:16")});
  const auto again = devices::devices_signature(root, map, buffer, path);
  const AllocGuard guard;
  EXPECT_EQ(devices::devices_signature(root, map, buffer, path), again);
  EXPECT_EQ(guard.allocations(), 0U);
}

TEST(DisksOf, VolumesOfPodsAreResolvedToTheirDisks) {
  FakeHost host;
  lay_out(host);
  host.file("proc/1/mountinfo",
            mount("254:1", "/") + mount("0:55", "/sys") + std::string(3000, 'x') + "\n" +
                mount("253:1", kPods + "u1/volumes/kubernetes.io~csi/pvc-1/mount") +
                mount("254:17", kPods + "u1/volumes/kubernetes.io~local-volume/local") +
                mount("0:99", kPods + "u2/volumes/kubernetes.io~csi/pvc-2/mount", "/dev/vda1") +
                mount("0:98", kPods + "u2/volumes/kubernetes.io~projected/token", "tmpfs") +
                mount("254:1", kPods + "u2/volume-subpaths/v/c/0") + mount("254:1", "/pods/volumes/a/b"));
  const auto map = seen(host);
  ASSERT_EQ(map.volumes.size(), 3U);
  EXPECT_EQ(map.volumes[0], (DiskMap::Volume{"u1", "pvc-1", {number("254:16")}}));
  EXPECT_EQ(map.volumes[1], (DiskMap::Volume{"u1", "local", {number("254:16")}}));
  EXPECT_EQ(map.volumes[2], (DiskMap::Volume{"u2", "pvc-2", {number("254:0")}}));
}

TEST(DisksOf, MalformedTextIsIgnored) {
  EXPECT_EQ(seen(FakeHost()), DiskMap{});
  for (const auto& text : malformed_texts()) {
    FakeHost host;
    host.file("sys/block/vda/dev", text).file("proc/1/mountinfo", text);
    EXPECT_EQ(seen(host).volumes.size(), 0U);
  }
  FakeHost loop;  // in the chain of slaves
  loop.file("sys/block/a/dev", "8:0\n").file("sys/block/a/slaves/a/x", "");
  loop.file("proc/1/mountinfo", mount("8:0", kPods + "u/volumes/p/v"));
  EXPECT_TRUE(seen(loop).volumes.empty());
}

class DisksInTheSnapshot : public ::testing::TestWithParam<bool> {
 protected:
  DisksInTheSnapshot() {
    sampled.fake.machine();
    if (GetParam()) {
      sampled.fake.v2();
    } else {
      sampled.fake.v1();
    }
    sampled.fake.kubepods();
    lay_out(sampled.fake);
  }
  void limit_best_effort(bool enable) {
    auto slo = std::make_shared<NodeSlo>();
    slo->qos.be.blkio = BlkioQos{enable, {{"/dev/vdb", BlockType::device, {}}}};
    sampled.slo = slo;
  }
  SampledNode sampled;
};

TEST_P(DisksInTheSnapshot, NothingIsReadUnlessConfigured) {
  sampled.start();
  EXPECT_EQ(sampled.tick().disks, nullptr);
  EXPECT_TRUE(sampled.node.disk_readings.empty());
}

TEST_P(DisksInTheSnapshot, BestEffortsLimitsAreReadBack) {
  limit_best_effort(true);
  sampled.start();
  const auto be = sampled.fake.qos_path(KubeQos::besteffort);
  sampled.fake.write(Controller::blkio, be, GetParam() ? "io.max" : "blkio.throttle.write_iops_device",
                     GetParam() ? "254:16 rbps=max wbps=max riops=max wiops=70\n" : "254:16 70\n");
  const auto& node = sampled.tick();
  ASSERT_NE(node.disks, nullptr);
  EXPECT_EQ(device(*node.disks, "vdb"), Disks{number("254:16")});
  ASSERT_EQ(node.disk_readings.size(), 1U);
  const auto& reading = node.disk_readings[0];
  EXPECT_EQ(reading.cgroup, sampled.at(be).id);
  ASSERT_EQ(reading.values.size(), 1U);
  EXPECT_EQ(reading.values[0].disk, number("254:16"));
  EXPECT_EQ(reading.values[0].knob, Knob::io_write_iops);
  EXPECT_EQ(reading.values[0].number, 70);
  EXPECT_NE(reading.known & knob_bit(Knob::io_read_bps), 0U)
      << "a file without lines is known to limit nothing";
  EXPECT_EQ((reading.known & knob_bit(Knob::io_weight)) != 0, GetParam()) << "v1 has none here";
}

TEST_P(DisksInTheSnapshot, AFileThatComesLaterIsReadWhenItIsDue) {
  limit_best_effort(true);
  const auto be = sampled.fake.qos_path(KubeQos::besteffort);
  const std::string file = GetParam() ? "io.bfq.weight" : "blkio.throttle.write_iops_device";
  const auto knob = knob_bit(GetParam() ? Knob::io_bfq_weight : Knob::io_write_iops);
  sampled.fake.remove(sampled.fake.dir_of(Controller::blkio, be) + '/' + file);
  sampled.start();
  sampled.tick();
  ASSERT_EQ(sampled.node.disk_readings.size(), 1U);
  EXPECT_EQ(sampled.node.disk_readings[0].known & knob, 0U);
  sampled.fake.write(Controller::blkio, be, file, GetParam() ? "default 100\n" : "");
  for (int i = 0; i < 10; ++i) sampled.tick();
  EXPECT_NE(sampled.node.disk_readings[0].known & knob, 0U);
}

TEST_P(DisksInTheSnapshot, ANewDiskIsFoundAndASteadyTickAllocatesNothing) {
  limit_best_effort(true);
  sampled.start();
  for (int i = 0; i < 25; ++i) sampled.tick();
  const auto* before = sampled.node.disks.get();
  {
    const AllocGuard guard;
    for (int i = 0; i < 70; ++i)
      sampled.sampler().collect(sampled.node, sampled.node.at + std::chrono::seconds(1));
    EXPECT_EQ(guard.allocations(), 0U);
  }
  EXPECT_EQ(sampled.node.disks.get(), before);
  sampled.fake.file("sys/block/vdc/dev", "254:32\n");
  for (int i = 0; i < 90; ++i) sampled.tick();  // the collector's clock did not include the seconds above
  EXPECT_EQ(device(*sampled.node.disks, "vdc"), Disks{number("254:32")});
  // Changes that the device listing does not show take longer to be noticed.
  const auto disks_of_group = sampled.node.disks->groups.at(0).disks;
  sampled.fake.dir("sys/block/dm-0/slaves/vdc");
  for (int i = 0; i < 70; ++i) sampled.tick();
  EXPECT_NE(sampled.node.disks->groups.at(0).disks, disks_of_group);
  limit_best_effort(false);
  sampled.rescan();
  EXPECT_EQ(sampled.tick().disks, nullptr);
  EXPECT_TRUE(sampled.node.disk_readings.empty());
}

INSTANTIATE_TEST_SUITE_P(Kernels, DisksInTheSnapshot, ::testing::Bool(),
                         [](const auto& v2) { return v2.param ? "v2" : "v1"; });

}  // namespace
}  // namespace evenkeel::test
