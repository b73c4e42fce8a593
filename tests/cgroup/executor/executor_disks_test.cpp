// Levers of a cgroup on one disk: each (cgroup, disk) is a target of its own.
#include <gtest/gtest.h>

#include "cgroup/executor/executor.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

constexpr std::uint32_t kSda = 8U << 20U, kSdb = (8U << 20U) | 16U;

class OnDisks : public ::testing::TestWithParam<bool>, public ExecutorNode {
 protected:
  OnDisks() : ExecutorNode(GetParam()) { kernel.disks.devices = {"8:0", "8:16"}; }
  [[nodiscard]] std::string read_bps(const std::string& path) const {
    return kernel.text(path, GetParam() ? "io.max" : "blkio.throttle.read_bps_device");
  }
  /// In the words of this kernel.
  [[nodiscard]] std::string limit(const std::string& device, const std::string& number) const {
    return GetParam() ? device + " rbps=" + number + " wbps=max riops=max wiops=max" : device + " " + number;
  }
};

TEST_P(OnDisks, TwoDisksAndWhatIsWishedNoMoreGoesBack) {
  want_on(kBe, kSda, Knob::io_read_bps, std::int64_t{500});
  want_on(kBe, kSdb, Knob::io_read_bps, std::int64_t{700});
  auto report = tick();
  ASSERT_EQ(report.writes.size(), 2U);
  EXPECT_EQ(report.writes[1].path,
            GetParam() ? "sys/fs/cgroup/kubepods/besteffort/io.max"
                       : "sys/fs/cgroup/blkio/kubepods/besteffort/blkio.throttle.read_bps_device");
  EXPECT_EQ(report.writes[1].old_text, GetParam() ? "8:16 rbps=max" : "8:16 0");
  EXPECT_EQ(report.writes[1].new_text, GetParam() ? "8:16 rbps=700" : "8:16 700");
  EXPECT_EQ(read_bps(kBe), limit("8:0", "500") + "\n" + limit("8:16", "700"));
  EXPECT_EQ(journal.size(), 2U);
  plan.erase(plan.begin());
  report = tick();
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_TRUE(report.writes[0].restored);
  EXPECT_EQ(read_bps(kBe), limit("8:16", "700"));
  executor.restore_all(now);
  EXPECT_EQ(read_bps(kBe), "");
  EXPECT_EQ(journal.size(), 0U);
}

TEST_P(OnDisks, PartsOfOneLineAreWrittenAndUndoneByThemselves) {
  kernel.disks.write(kBe, GetParam() ? "io.max" : "blkio.throttle.write_bps_device",
                     GetParam() ? "8:16 wbps=9" : "8:16 9");
  want_on(kBe, kSdb, Knob::io_write_bps, std::int64_t{5});
  want_on(kBe, kSdb, Knob::io_read_iops, std::int64_t{3});
  tick();
  if (GetParam()) {
    EXPECT_EQ(kernel.text(kBe, "io.max"), "8:16 rbps=max wbps=5 riops=3 wiops=max");
  }
  EXPECT_EQ(executor.managed().size(), 2U);
  executor.restore_all(now);
  EXPECT_EQ(kernel.text(kBe, GetParam() ? "io.max" : "blkio.throttle.write_bps_device"),
            GetParam() ? "8:16 rbps=max wbps=9 riops=max wiops=max" : "8:16 9");
}

TEST_P(OnDisks, ASteadyTickReadsWritesAndAllocatesNothing) {
  want_on(kBe, kSdb, Knob::io_read_bps, std::int64_t{700});
  want_on(kPod, kSda, Knob::io_write_iops, std::int64_t{70});
  tick();
  tick();
  const auto node = observe();
  kernel.taken();
  kernel.reads = 0;
  AllocGuard guard;
  const auto report = executor.apply(plan, node, {});
  EXPECT_EQ(guard.allocations(), 0U);
  EXPECT_EQ(kernel.reads, 0);
  EXPECT_TRUE(kernel.log.empty() && report.writes.empty());
}

TEST_P(OnDisks, ADiskThatIsNotThereIsRefusedAndTheOtherServed) {
  want_on(kBe, kSda, Knob::io_read_bps, std::int64_t{500});
  want_on(kBe, 9U << 20U, Knob::io_read_bps, std::int64_t{500});
  const auto report = tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].error.code, ENODEV);
  EXPECT_EQ(report.writes.size(), 1U);
  EXPECT_EQ(journal.size(), 1U);
}

TEST_P(OnDisks, AForeignLimitIsNoticedAndNotFoughtAtOnce) {
  want_on(kBe, kSdb, Knob::io_read_bps, std::int64_t{700});
  tick();
  const char* file = GetParam() ? "io.max" : "blkio.throttle.read_bps_device";
  ASSERT_EQ(kernel.other(kBe, file, GetParam() ? "8:16 rbps=900" : "8:16 900"), 0);
  seen.push_back({id(kBe), file, {4711, "systemd"}});
  const auto report = tick();
  ASSERT_EQ(report.foreign.size(), 1U);
  EXPECT_EQ(report.foreign[0].writer.command, "systemd");
  EXPECT_EQ(report.foreign[0].theirs, GetParam() ? "8:16 rbps=900" : "8:16 900");
  EXPECT_TRUE(report.writes.empty());
  executor.restore_all(now);
  EXPECT_EQ(read_bps(kBe), limit("8:16", "900"));
}

TEST_P(OnDisks, ACgroupThatIsGoneTakesItsDisksWithIt) {
  want_on(kPod, kSdb, Knob::io_read_bps, std::int64_t{700});
  tick();
  remove(kPod);
  plan.clear();
  EXPECT_TRUE(tick().refusals.empty());
  EXPECT_TRUE(executor.managed().empty());
  EXPECT_EQ(journal.size(), 0U);
}

TEST_P(OnDisks, WhatACrashLeftGoesBack) {
  kernel.disks.write(kBe, GetParam() ? "io.max" : "blkio.throttle.read_bps_device",
                     GetParam() ? "8:0 rbps=100" : "8:0 100");
  want_on(kBe, kSda, Knob::io_read_bps, std::int64_t{500});
  want_on(kBe, kSdb, Knob::io_read_bps, std::int64_t{700});
  tick();
  const auto report = executor::restore_from_journal(kernel, journal);
  EXPECT_EQ(report.writes.size(), 2U);
  EXPECT_TRUE(report.refusals.empty());
  EXPECT_EQ(read_bps(kBe), limit("8:0", "100"));
  EXPECT_EQ(journal.size(), 0U);
}

TEST_P(OnDisks, AWeightNeedsAKernelThatHasIt) {
  want_on(kBe, kSdb, Knob::io_weight, std::int64_t{50});
  EXPECT_TRUE(tick().refusals.empty()) << "a lever that not every kernel has is not missed";
  EXPECT_TRUE(executor.managed().empty());
}

TEST_P(OnDisks, AWeightGoesBackToTheDefault) {
  kernel.disks.weights = true;
  want_on(kBe, kSdb, Knob::io_weight, std::int64_t{50});
  tick();
  const char* file = GetParam() ? "io.weight" : "blkio.cost.weight";
  EXPECT_EQ(kernel.text(kBe, file), "default 100\n8:16 50");
  plan.clear();
  tick();
  EXPECT_EQ(kernel.text(kBe, file), "default 100");
}

TEST_P(OnDisks, HandsOffIsOfTheDisksToo) {
  want_on(kPod, kSdb, Knob::io_read_bps, std::int64_t{700});
  hands_off.insert(kPod);
  EXPECT_TRUE(tick().writes.empty());
}

INSTANTIATE_TEST_SUITE_P(Kernels, OnDisks, ::testing::Bool(),
                         [](const auto& v2) { return v2.param ? "v2" : "v1"; });

}  // namespace
}  // namespace evenkeel::test
