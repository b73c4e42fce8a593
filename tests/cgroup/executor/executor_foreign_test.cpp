// What the executor does when another program writes to a file that it has written to.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cgroup/executor/executor.h"
#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

class ForeignWrites : public ::testing::Test, public ExecutorNode {
 protected:
  ForeignWrites() : ExecutorNode(false) {}

  /// The next tick is so much later.
  void after(Duration quiet) { now += quiet - std::chrono::seconds(1); }
  /// Another program writes; what the next tick reports of it.
  executor::Report write(const char* path, const char* file, const char* text) {
    EXPECT_EQ(kernel.other(path, file, text), 0);
    return tick();
  }
};

using std::chrono::hours;
using std::chrono::minutes;

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

TEST_F(ForeignWrites, OneEachDayIsWrittenOverForEver) {
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  for (int day = 0; day < 30; ++day) {
    const auto report = write(kBe, "cpu.cfs_quota_us", "-1");
    ASSERT_EQ(report.foreign.size(), 1U);
    ASSERT_EQ(report.foreign[0].round, 0) << "yesterday's is forgotten";
    ASSERT_FALSE(report.foreign[0].yielded) << day;
    after(minutes(1));
    ASSERT_EQ(tick().writes.size(), 1U);
    after(hours(24));
    tick();
  }
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
}

TEST_F(ForeignWrites, APodsValueFromBeforeUsIsTakenUpAgainAfterAQuietHour) {
  kernel.at(kCtr).quota_us = 50000;
  want(kCtr, Knob::cpu_quota, std::int64_t{80000});
  tick();
  for (int day = 0; day < 30; ++day) {  // a daemon-reload each
    ASSERT_TRUE(write(kCtr, "cpu.cfs_quota_us", "50000").foreign.at(0).yielded);
    after(minutes(59));
    ASSERT_TRUE(tick().writes.empty()) << day;
    after(minutes(1));
    ASSERT_EQ(tick().writes.size(), 1U) << day;
    ASSERT_EQ(kernel.text(kCtr, "cpu.cfs_quota_us"), "80000");
    ASSERT_EQ(journal.size(), 1U);
    after(hours(24));
    ASSERT_TRUE(tick().writes.empty());
  }
  executor.restore_all(now);
  EXPECT_EQ(kernel.text(kCtr, "cpu.cfs_quota_us"), "50000");
}

TEST_F(ForeignWrites, WhoLeavesNoQuietHourIsLeftAloneTwiceAsLongEachTime) {
  kernel.at(kCtr).quota_us = 50000;
  want(kCtr, Knob::cpu_quota, std::int64_t{80000});
  tick();
  std::vector<int> comebacks;  // the minutes
  for (int minute = 0; minute < 7 * 24 * 60; ++minute) {
    kernel.other(kCtr, "cpu.cfs_quota_us", "50000");
    const auto report = tick();
    if (!report.writes.empty()) comebacks.push_back(minute);
    after(minutes(1));
  }
  ASSERT_EQ(comebacks.size(), 10U) << "ten minutes of a week";
  for (std::size_t i = 1; i < comebacks.size(); ++i)
    EXPECT_NEAR(comebacks[i] - comebacks[i - 1], std::min(60 << i, 24 * 60), 2) << i;
}

TEST_F(ForeignWrites, EveryTouchOfAYieldedValueBeginsItsQuietHourAnew) {
  kernel.at(kCtr).quota_us = 50000;
  want(kCtr, Knob::cpu_quota, std::int64_t{80000});
  tick();
  write(kCtr, "cpu.cfs_quota_us", "50000");
  for (int i = 0; i < 10; ++i) {
    after(minutes(50));
    seen.push_back({id(kCtr), "cpu.cfs_quota_us", {1, "systemd"}});  // the same text again
    ASSERT_TRUE(tick().writes.empty()) << i;
  }
  after(minutes(50));
  ASSERT_TRUE(write(kCtr, "cpu.cfs_quota_us", "60000").writes.empty()) << "a decision of its own";
  after(hours(100));
  ASSERT_TRUE(tick().writes.empty()) << "and that stays";
  ASSERT_TRUE(write(kCtr, "cpu.cfs_quota_us", "50000").writes.empty());
  after(hours(1));
  EXPECT_EQ(tick().writes.size(), 1U);
}

TEST_F(ForeignWrites, WhatTheOwnerInsistsOnIsHisForGood) {
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  for (int round = 0; round < 3; ++round) {
    write(kBe, "cpu.cfs_quota_us", "70000");
    after(minutes(1));
    ASSERT_EQ(tick().writes.size(), 1U);
  }
  ASSERT_TRUE(write(kBe, "cpu.cfs_quota_us", "70000").foreign.at(0).yielded);
  for (int day = 0; day < 30; ++day) {
    after(hours(24));
    ASSERT_TRUE(tick().writes.empty());
  }
  plan.clear();
  tick();
  executor.restore_all(now);
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "70000");
}

TEST_F(ForeignWrites, AValueWithoutAnIntentIsNotWrittenAgain) {
  kernel.at(kCtr).quota_us = 50000;
  want(kCtr, Knob::cpu_quota, std::int64_t{80000});
  tick();
  write(kCtr, "cpu.cfs_quota_us", "50000");
  plan.clear();
  after(hours(2));
  EXPECT_TRUE(tick().writes.empty());
  hold(kCtr, Knob::cpu_quota);
  after(hours(2));
  EXPECT_TRUE(tick().writes.empty());
}

TEST_F(ForeignWrites, AnotherProgramClearsIdleAndTheSharesAreRestored) {
  kernel.at(kPod).shares = 512;
  want(kPod, Knob::cpu_idle, std::int64_t{1});
  tick();
  kernel.other(kPod, "cpu.idle", "0");
  EXPECT_EQ(tick().foreign.size(), 1U);
  EXPECT_EQ(kernel.text(kPod, "cpu.idle"), "0") << "the owner's own value again: his";
  EXPECT_EQ(kernel.text(kPod, "cpu.shares"), "512") << "the kernel's 1024 came from no intent";
  after(hours(1));
  tick();
  EXPECT_EQ(kernel.text(kPod, "cpu.idle"), "1") << "and ours after a quiet hour";
  executor.restore_all(now);
  EXPECT_EQ(kernel.text(kPod, "cpu.idle") + ' ' + kernel.text(kPod, "cpu.shares"), "0 512");
}

}  // namespace
}  // namespace evenkeel::test
