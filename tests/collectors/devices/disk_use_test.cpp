// What disks have done, from /proc/diskstats and io.stat.
#include <gtest/gtest.h>

#include <array>

#include "cgroup/base/disk_text.h"
#include "collectors/devices/devices.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/malformed.h"
#include "tests/support/scenes/sampler_node.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kLine = " 254       0 vda 100 10 2000 50 40 20 4000 90 3 1500 200 1 0 800 30 7 5";
DiskNumber number(const char* text) { return parse_device(text).value_or(0); }

TEST(DiskUseText, AddsReadsAndWrites) {
  const auto use = devices::parse_disk_use(kLine);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->disk, number("254:0"));
  EXPECT_EQ(use->moved, Bytes((2000 + 4000) * 512));
  EXPECT_EQ(use->requests, 100 + 10 + 40 + 20) << "as they were asked for: with those merged";
  EXPECT_EQ(use->busy, milliseconds(1500));
  EXPECT_TRUE(devices::parse_disk_use("8 0 sda 1 2 3 4 5 6 7 8 9 10")) << "Linux 4.17";
}

TEST(DiskUseText, RefusesWhatItDoesNotUnderstand) {
  for (const auto& text : malformed_texts())
    EXPECT_FALSE(devices::parse_disk_use(text)) << text.substr(0, 40);
  EXPECT_FALSE(devices::parse_disk_use("8 0 sda 1 2 3 4 5 6 7 8 9")) << "a field is missing";
  EXPECT_FALSE(devices::parse_disk_use("8 0 sda 1 2 -3 4 5 6 7 8 9 10"));
  EXPECT_FALSE(devices::parse_disk_use("4096 0 sda 1 2 3 4 5 6 7 8 9 10"));
  EXPECT_FALSE(devices::parse_disk_use("8 0 sda 1 2 9223372036854775807 4 5 6 7 8 9 10"));
  EXPECT_FALSE(devices::parse_disk_use("8 0 sda 1 2 3 4 5 6 7 8 9 9223372036854775807"));
}

TEST(DiskUseText, BestEffortHasDoneNothingOnADiskThatIsNotListed) {
  std::vector<DiskUse> uses{{.disk = number("254:0")}, {.disk = number("254:16")}, {.disk = number("8:0")}};
  devices::add_besteffort_use(
      "254:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=16 dios=1\n8:0 rbytes=4096 wbytes=-1 rios=1\n",
      uses);
  EXPECT_EQ(uses[0].besteffort_moved, Bytes(4096 + 8192));
  EXPECT_EQ(uses[1].besteffort_moved, Bytes(0));
  EXPECT_FALSE(uses[2].besteffort_moved) << "unknown is not zero";
}

/// A node with one disk, a partition of it, and a disk that is no block device of sysfs.
struct Node : SampledNode {
  explicit Node(bool v2, bool enable = true) {
    fake.machine({.cpus = 2});
    v2 ? fake.v2() : fake.v1();
    fake.kubepods();
    fake.file("sys/block/vda/dev", "254:0\n")
        .file("sys/block/vda/vda1/dev", "254:1\n")
        .file("sys/block/vda/vda1/partition", "1\n")
        .file("proc/diskstats", std::string(kLine) + "\n 254 1 vda1 9 9 9 9 9 9 9 9 9 9\n 7 0 loop0 1 2\n");
    auto own = std::make_shared<NodeSlo>();
    own->evenkeel.disk_suppress.enable = enable;
    slo = own;
  }
};

TEST(DiskUseCollector, ReadsWholeDisksEveryFiveSecondsWhileItIsOn) {
  Node node(true);
  node.fake.file("sys/fs/cgroup/kubepods/besteffort/io.stat", "254:0 rbytes=1 wbytes=2 rios=1 wios=1\n");
  node.start();
  auto& sampled = node.tick();
  ASSERT_EQ(sampled.disk_use.size(), 1U);
  EXPECT_EQ(sampled.disk_use[0].busy, milliseconds(1500));
  EXPECT_EQ(sampled.disk_use[0].besteffort_moved, Bytes(3));
  const auto first = sampled.disk_use_read;
  node.fake.file("proc/diskstats", " 254 0 vda 100 10 2000 50 40 20 4000 90 3 2500 200\n");
  for (int i = 0; i < 4; ++i) node.tick();
  EXPECT_EQ(sampled.disk_use_read, first);
  node.tick();
  EXPECT_EQ(sampled.disk_use[0].busy, milliseconds(2500));
  const AllocGuard guard;
  for (int i = 0; i < 5; ++i) node.tick();
  EXPECT_EQ(guard.allocations(), 0U);
  node.fake.remove("proc/diskstats");
  for (int i = 0; i < 5; ++i) node.tick();
  EXPECT_TRUE(sampled.disk_use.empty());
  EXPECT_FALSE(sampled.disk_use_read);
}

TEST(DiskUseCollector, KnowsNothingOfBestEffortsPartOnCgroupV1) {
  Node node(false);
  node.start();
  auto& sampled = node.tick();
  ASSERT_EQ(sampled.disk_use.size(), 1U);
  EXPECT_FALSE(sampled.disk_use[0].besteffort_moved);
}

TEST(DiskUseCollector, ReadsNothingWhileItIsOff) {
  Node node(true, false);
  node.start();
  EXPECT_TRUE(node.tick().disk_use.empty());
}

}  // namespace
}  // namespace evenkeel::test
