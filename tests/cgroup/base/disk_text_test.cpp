// Lines of disks: one disk's part out of a file and into it.
#include "cgroup/base/disk_text.h"

#include <gtest/gtest.h>

#include "cgroup/kernel/knob_files.h"

namespace evenkeel {
namespace {

constexpr const char* kReadBps = "io.max:rbps";
constexpr const char* kV1 = "blkio.throttle.read_bps_device";
constexpr std::uint32_t kSdb = (8U << 20U) | 16U;

TEST(DiskText, ANumberOfADeviceIsTheKernels) {
  EXPECT_EQ(parse_device("8:16"), kSdb);
  EXPECT_EQ(device_text(kSdb), "8:16");
  EXPECT_EQ(device_text(*parse_device("4095:1048575")), "4095:1048575");
  for (const char* garbage : {"", "8", "8:", ":16", "8:16:0", "0:0", "-8:16", "8:-1", "4096:0", "8:1048576",
                              "a:b", "8:16 ", "default"})
    EXPECT_EQ(parse_device(garbage), std::nullopt) << garbage;
}

TEST(DiskText, OneDisksPartOfAFile) {
  const char* max = "8:0 rbps=500 wbps=max riops=max wiops=max\n8:16 rbps=max wbps=7 riops=1 wiops=max\n";
  EXPECT_EQ(disk_entry("io.max:wbps", kSdb, max), "8:16 wbps=7");
  EXPECT_EQ(disk_entry(kReadBps, kSdb, max), "8:16 rbps=max");
  EXPECT_EQ(disk_entry(kReadBps, kSdb, ""), "8:16 rbps=max") << "no line says nothing";
  EXPECT_EQ(disk_entry(kV1, kSdb, "8:0 1\n8:16 1048576\n"), "8:16 1048576");
  EXPECT_EQ(disk_entry(kV1, kSdb, "8:0 1\n8:160 2\n"), "8:16 0");
  EXPECT_EQ(disk_entry("io.weight", kSdb, "default 100\n8:16 200\n"), "8:16 200");
  EXPECT_EQ(disk_entry("io.weight", kSdb, "default 100\n"), "8:16 default");
}

TEST(DiskText, APlainFileBecomesWhatTheKernelWouldMakeOfIt) {
  const auto two = with_disk_entry(kReadBps, "8:0 rbps=1 wbps=max riops=max wiops=max\n", "8:16 rbps=2");
  EXPECT_EQ(two, "8:0 rbps=1 wbps=max riops=max wiops=max\n8:16 rbps=2 wbps=max riops=max wiops=max\n");
  const auto three = with_disk_entry("io.max:wiops", two, "8:16 wiops=3");
  EXPECT_EQ(disk_entry(kReadBps, kSdb, three), "8:16 rbps=2");
  const auto back = with_disk_entry("io.max:wiops", three, "8:16 wiops=max");
  EXPECT_EQ(with_disk_entry(kReadBps, back, "8:16 rbps=max"), "8:0 rbps=1 wbps=max riops=max wiops=max\n");
  EXPECT_EQ(with_disk_entry(kV1, "8:0 1\n8:16 5\n8:32 2\n", "8:16 7"), "8:0 1\n8:16 7\n8:32 2\n");
  EXPECT_EQ(with_disk_entry(kV1, "8:16 5\n", "8:16 0"), "");
  EXPECT_EQ(with_disk_entry("io.weight", "default 100\n", "8:16 50\n"), "default 100\n8:16 50\n");
  EXPECT_EQ(with_disk_entry("io.weight", "default 100\n8:16 50\n", "8:16 default"), "default 100\n");
}

TEST(DiskText, ValuesAsLevers) {
  tree::Layout v1, v2;
  v1.roots.fill("sys/fs/cgroup/blkio");
  v2.roots.fill("sys/fs/cgroup");
  v2.on_v2.fill(true);
  EXPECT_EQ(kernel::parse_value(Knob::io_read_bps, "8:16 rbps=7", v2), KnobValue(std::int64_t{7}));
  EXPECT_EQ(kernel::parse_value(Knob::io_read_bps, "8:16 rbps=max", v2), KnobValue(Unlimited{}));
  EXPECT_EQ(kernel::parse_value(Knob::io_read_bps, "8:16 0", v1), KnobValue(Unlimited{}));
  for (const char* garbage : {"8:16", "rbps=7", "8:16 rbps=x", "8:16 -1", "8:16 7 7", "x 7"})
    EXPECT_EQ(kernel::parse_value(Knob::io_read_bps, garbage, v2), std::nullopt) << garbage;
  EXPECT_EQ(kernel::format_value(Knob::io_write_iops, std::int64_t{9}, "8:16 wiops=max", v2), "8:16 wiops=9");
  EXPECT_EQ(kernel::format_value(Knob::io_write_iops, Unlimited{}, "8:16 9", v1), "8:16 0");
  EXPECT_EQ(kernel::format_value(Knob::io_weight, Unlimited{}, "8:16 9", v2), "8:16 default");
  EXPECT_EQ(kernel::as_kernel_stores(Knob::io_read_iops, INT64_MAX, v2),
            KnobValue(std::int64_t{UINT32_MAX - 1}))
      << "the kernel counts operations in 32 bits, and its largest number means none";
}

TEST(DiskText, OnRecordEachPartHasANameOfItsOwn) {
  EXPECT_EQ(disk_entry_name(kReadBps, kSdb), "io.max:rbps@8:16");
  EXPECT_EQ(disk_entry_name("cpu.max", 0), "cpu.max");
  EXPECT_EQ(kernel::knob_of_entry("io.max:rbps@8:16"), Knob::io_read_bps);
  EXPECT_EQ(kernel::knob_of_entry("blkio.throttle.write_iops_device@8:16"), Knob::io_write_iops);
  EXPECT_EQ(kernel::knob_of_entry("cpu.max"), Knob::cpu_quota);
  for (const char* none : {"io.max:rbps", "io.max:rbps@", "io.max:rbps@x", "io.max@8:16", "cpu.max@8:16", ""})
    EXPECT_EQ(kernel::knob_of_entry(none), std::nullopt) << none;
}

TEST(DiskText, ALatencyTargetIsOnePartOfItsOwnLine) {
  const char* name = "io.latency:target";
  const std::uint32_t disk = (8U << 20U) | 16U;
  EXPECT_EQ(disk_entry(name, disk, "8:0 target=9\n8:16 target=5000\n"), "8:16 target=5000");
  EXPECT_EQ(disk_entry(name, disk, ""), "8:16 target=max");
  EXPECT_EQ(with_disk_entry(name, "8:0 target=9\n", "8:16 target=5000"), "8:0 target=9\n8:16 target=5000\n");
  EXPECT_EQ(with_disk_entry(name, "8:0 target=9\n8:16 target=5000\n", "8:16 target=max"), "8:0 target=9\n");
  EXPECT_EQ(kernel::knob_of_entry("io.latency:target@8:16"), Knob::io_latency);
}

// BFQ's "default" leaves the disk at the weight that it had: seen on Linux 6.1, v1 and v2 (LiveDiskWeight).
TEST(DiskText, TakingAwayAWeightOfBfqTakesMoreThanItsLine) {
  const char* whole = "default 70\n8:0 200\n8:16 10\n";
  using Lines = std::vector<std::string>;
  for (const auto* name : {"io.bfq.weight", "blkio.bfq.weight_device"}) {
    EXPECT_TRUE(keeps_removed_weights(name));
    EXPECT_EQ(disk_writes(name, whole, "8:16 default"), (Lines{"70", "8:0 200"})) << name;
    EXPECT_EQ(disk_writes(name, whole, "8:16 20\n"), Lines{"8:16 20"});
    EXPECT_EQ(disk_writes(name, "default 70\n8:0 200\n", "8:16 default"), Lines{"8:16 default"})
        << "it has none: no weight is touched";
    EXPECT_EQ(disk_writes(name, "8:16 10\n", "8:16 default"), Lines{"8:16 default"})
        << "a kernel that tells no default";
  }
  for (const auto* name : {"io.weight", "io.max:rbps", kV1})
    EXPECT_FALSE(keeps_removed_weights(name)) << name;
}

}  // namespace
}  // namespace evenkeel
