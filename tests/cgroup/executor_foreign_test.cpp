// What the executor does when somebody else writes where it has written.
#include <gtest/gtest.h>

#include "cgroup/executor.h"
#include "tests/support/executor_node.h"

namespace evenkeel::test {
namespace {

class ForeignWrites : public ::testing::Test, public ExecutorNode {
 protected:
  ForeignWrites() : ExecutorNode(false) {}
};

TEST_F(ForeignWrites, AForeignValueStaysAMinuteAndIsFoughtThreeTimes) {
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(kernel.other(kBe, "cpu.cfs_quota_us", "70000"), 0);
    seen.push_back({id(kBe), "cpu.cfs_quota_us", {4711, "systemd"}});
    auto report = tick();
    ASSERT_EQ(report.foreign.size(), 1U);
    EXPECT_EQ(report.foreign[0].theirs + " " + report.foreign[0].ours, "70000 150000");
    EXPECT_EQ(report.foreign[0].writer.command, "systemd");
    EXPECT_EQ(report.foreign[0].round, round);
    EXPECT_FALSE(report.foreign[0].yielded);
    for (int second = 1; second < 60; ++second) {
      report = tick();
      ASSERT_TRUE(report.writes.empty() && report.foreign.empty()) << second;
      ASSERT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "70000");
    }
    EXPECT_EQ(tick().writes.size(), 1U);
    EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
  }
  ASSERT_EQ(kernel.other(kBe, "cpu.cfs_quota_us", "70000"), 0);
  const auto report = tick();
  ASSERT_EQ(report.foreign.size(), 1U);
  EXPECT_TRUE(report.foreign[0].yielded);
  EXPECT_EQ(journal.size(), 0U);
  for (int second = 0; second < 600; ++second) ASSERT_TRUE(tick().writes.empty());
  executor.restore_all(now);
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "70000") << "theirs for good";
  EXPECT_EQ(executor.counters().yielded, 1U);
}

TEST_F(ForeignWrites, AfterWritingOverItTheOwnersLatestWordIsWhatGoesBack) {
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  kernel.other(kBe, "cpu.cfs_quota_us", "70000");
  for (int second = 0; second <= 60; ++second) tick();
  ASSERT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
  executor.restore_all(now);
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "70000");
}

TEST_F(ForeignWrites, AForeignValueIsNeverRestoredOver) {
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  kernel.other(kBe, "cpu.cfs_quota_us", "70000");
  const auto report = executor.restore_all(now);
  EXPECT_TRUE(report.writes.empty());
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "70000");
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(ForeignWrites, TheOwnerOfAPodWhoPutsHisValueBackHasItAtOnce) {
  kernel.at(kCtr).quota_us = 50000;
  want(kCtr, Knob::cpu_quota, std::int64_t{80000});
  tick();
  kernel.other(kCtr, "cpu.cfs_quota_us", "50000");
  const auto report = tick();
  ASSERT_EQ(report.foreign.size(), 1U);
  EXPECT_TRUE(report.foreign[0].yielded);
  for (int second = 0; second < 200; ++second) ASSERT_TRUE(tick().writes.empty());
  EXPECT_EQ(kernel.text(kCtr, "cpu.cfs_quota_us"), "50000");
}

TEST_F(ForeignWrites, AForeignValueThatIsWishedAnywayStaysTheirs) {
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  kernel.other(kBe, "cpu.cfs_quota_us", "70000");
  plan.clear();
  want(kBe, Knob::cpu_quota, std::int64_t{70000});
  kernel.log.clear();
  const auto report = tick();
  EXPECT_TRUE(report.writes.empty() && report.foreign.empty());
  executor.restore_all(now);
  EXPECT_EQ(kernel.taken(), "");
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "70000");
}

TEST_F(ForeignWrites, SomebodyWakesAnIdleGroupAndItsSharesComeBack) {
  kernel.at(kPod).shares = 512;
  want(kPod, Knob::cpu_idle, std::int64_t{1});
  tick();
  kernel.other(kPod, "cpu.idle", "0");
  EXPECT_EQ(tick().foreign.size(), 1U);
  EXPECT_EQ(kernel.text(kPod, "cpu.idle"), "0") << "the owner's own value again: his";
  EXPECT_EQ(kernel.text(kPod, "cpu.shares"), "512") << "the kernel's 1024 was nobody's wish";
}

}  // namespace
}  // namespace evenkeel::test
