// What the executor does when systemd writes the properties of a unit again, and when a pod is removed.
#include <gtest/gtest.h>

#include "cgroup/executor/executor.h"
#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

class Resets : public ::testing::TestWithParam<bool>, public ExecutorNode {
 protected:
  Resets() : ExecutorNode(GetParam(), {}, false, true) {}
  [[nodiscard]] const char* quota_file() const { return GetParam() ? "cpu.max" : "cpu.cfs_quota_us"; }
  [[nodiscard]] const char* no_quota() const { return GetParam() ? "max 100000" : "-1"; }
  [[nodiscard]] std::string quota(const char* path) {
    const auto text = kernel.text(path, quota_file());
    return text.substr(0, text.find(' '));
  }
  void write(const char* path, const char* file, const char* text, const tree::Writer& writer = {}) {
    ASSERT_EQ(kernel.other(path, file, text), 0);
    if (writer.pid != 0) seen.push_back({id(path), file, writer});
  }
};

/// The kubelet renews the weights of its slices every minute and at each change of a pod.
TEST_P(Resets, AQuotaThatSystemdLiftsIsBackInTheSameTickForHours) {
  want(kBeSlice, Knob::cpu_quota, std::int64_t{150000});
  tick();
  for (int minute = 0; minute < 6 * 60; ++minute) {
    write(kBeSlice, quota_file(), no_quota(), {1, "systemd"});
    const auto report = tick();
    ASSERT_TRUE(report.foreign.empty()) << minute;
    ASSERT_EQ(quota(kBeSlice), "150000") << minute;
    now += std::chrono::seconds(58);
    ASSERT_TRUE(tick().writes.empty());
  }
  EXPECT_EQ(executor.counters().resets, 360U);
  EXPECT_EQ(executor.counters().foreign, 0U);
  executor.restore_all(now);
  EXPECT_EQ(quota(kBeSlice), GetParam() ? "max" : "-1");
  EXPECT_EQ(journal.size(), 0U);
}

TEST_P(Resets, AWriterThatIsNotKnownCountsAsSystemd) {
  want(kBeSlice, Knob::cpu_quota, std::int64_t{150000});
  tick();
  write(kBeSlice, quota_file(), no_quota());
  EXPECT_TRUE(tick().foreign.empty());
  EXPECT_EQ(quota(kBeSlice), "150000");
}

TEST_P(Resets, AnotherProcessThatLiftsTheQuotaMeansIt) {
  want(kBeSlice, Knob::cpu_quota, std::int64_t{150000});
  tick();
  write(kBeSlice, quota_file(), no_quota(), {4711, "bash"});
  EXPECT_EQ(tick().foreign.size(), 1U);
  for (int second = 1; second < 60; ++second) {
    ASSERT_EQ(quota(kBeSlice), GetParam() ? "max" : "-1") << "after " << second << " s";
    EXPECT_TRUE(tick().foreign.empty());
  }
  tick();
  EXPECT_EQ(quota(kBeSlice), "150000") << "after a minute, as over any foreign value";
  EXPECT_EQ(executor.counters().resets, 0U);
}

TEST_P(Resets, ALimitThatItsOwnerTakesAwayDoesNotComeBack) {
  write(kBeSlice, quota_file(), "300000");
  want(kBeSlice, Knob::cpu_quota, std::int64_t{150000});
  tick();
  write(kBeSlice, quota_file(), no_quota(), {4711, "bash"});
  tick();
  tick();
  write(kBeSlice, quota_file(), no_quota(), {1, "systemd"});
  tick();
  executor.restore_all(now);
  EXPECT_EQ(quota(kBeSlice), GetParam() ? "max" : "-1");
  EXPECT_EQ(journal.size(), 0U);
}

/// Later the owner may decide on the text that a reset once left in the file.
TEST_P(Resets, WhatSystemdWroteIsNotOnRecordAsTheAgents) {
  write(kBeSlice, quota_file(), "300000");
  want(kBeSlice, Knob::cpu_quota, std::int64_t{150000});
  tick();
  write(kBeSlice, quota_file(), "300000", {1, "systemd"});
  tick();
  write(kBeSlice, quota_file(), "200000", {4711, "bash"});
  for (int second = 0; second <= 60; ++second) tick();
  ASSERT_EQ(quota(kBeSlice), "150000");
  write(kBeSlice, quota_file(), "300000", {4711, "bash"});
  tick();
  executor::restore_from_journal(kernel, journal);
  EXPECT_EQ(quota(kBeSlice), "300000") << "after kill -9";
}

/// Its owner may also decide on what the agent wrote some ticks before.
TEST_P(Resets, AnEarlierTextOfTheAgentsIsTheOwnersOnceItWritesThat) {
  for (const std::int64_t quota : {150000, 160000, 170000}) {
    plan.clear();
    want(kBeSlice, Knob::cpu_quota, quota);
    tick();
  }
  write(kBeSlice, quota_file(), "150000", {4711, "bash"});
  EXPECT_EQ(tick().foreign.size(), 1U);
  EXPECT_EQ(journal.size(), 1U);
  executor::restore_from_journal(kernel, journal);
  EXPECT_EQ(quota(kBeSlice), "150000") << "after kill -9";
  EXPECT_EQ(journal.size(), 0U);
}

/// The kubelet has resized a whole pod to less than the agent had raised it to: the container's new quota is
/// told by its file, that of the pod happens to be the agent's.
TEST_P(Resets, APodIsNotRestoredBelowWhatItsContainerHasByNow) {
  for (const char* path : {kPodSlice, kCtrScope}) write(path, quota_file(), "50000");
  const auto wants = [&](std::int64_t quota) {
    plan.clear();
    for (const char* path : {kPodSlice, kCtrScope}) want(path, Knob::cpu_quota, quota);
    tick();
  };
  wants(103676);
  write(kCtrScope, quota_file(), "100000", {78, "runc"});
  wants(100000);
  executor.restore_all(now);
  EXPECT_EQ(quota(kCtrScope), "100000");
  EXPECT_EQ(quota(kPodSlice), GetParam() ? "50000" : "100000") << "v2 allows less: nothing is known there";
  EXPECT_EQ(journal.size(), 0U);
}

TEST_P(Resets, ATighterQuotaFromSystemdIsADecision) {
  want(kBeSlice, Knob::cpu_quota, std::int64_t{150000});
  tick();
  write(kBeSlice, quota_file(), "70000", {1, "systemd"});
  EXPECT_EQ(tick().foreign.size(), 1U);
  EXPECT_EQ(quota(kBeSlice), "70000");
}

TEST_P(Resets, TheUnitsOwnQuotaIsAResetTooAndStaysTheOneToRestore) {
  kernel.at(kCtrScope).quota_us = 50000;
  want(kCtrScope, Knob::cpu_quota, std::int64_t{80000});
  tick();
  for (int i = 0; i < 5; ++i) {
    write(kCtrScope, quota_file(), "50000", {1, "systemd"});
    ASSERT_TRUE(tick().foreign.empty());
    ASSERT_EQ(quota(kCtrScope), "80000");
  }
  executor.restore_all(now);
  EXPECT_EQ(quota(kCtrScope), "50000");
}

TEST_P(Resets, WhatNoPolicyAsksForAnyMoreIsLeftAsSystemdWroteIt) {
  want(kBeSlice, Knob::cpu_quota, std::int64_t{150000});
  tick();
  plan.clear();
  write(kBeSlice, quota_file(), no_quota(), {1, "systemd"});
  const auto report = tick();
  EXPECT_TRUE(report.writes.empty() && report.foreign.empty());
  EXPECT_EQ(journal.size(), 0U);
}

/// A daemon-reload writes the initial value of everything that a unit does not set.
TEST_P(Resets, AReloadCostsAPodNothing) {
  want(kPodSlice, Knob::cpu_idle, std::int64_t{1});
  if (GetParam()) {
    want(kPodSlice, Knob::memory_low, std::int64_t{64} << 20);
    want(kPodSlice, Knob::memory_high, std::int64_t{128} << 20);
  }
  tick();
  for (int day = 0; day < 5; ++day) {
    write(kPodSlice, "cpu.idle", "0", {1, "systemd"});
    if (GetParam()) {
      write(kPodSlice, "memory.low", "0", {1, "systemd"});
      write(kPodSlice, "memory.high", "max", {1, "systemd"});
    }
    ASSERT_TRUE(tick().foreign.empty());
    ASSERT_EQ(kernel.text(kPodSlice, "cpu.idle"), "1");
    if (GetParam()) {
      ASSERT_EQ(kernel.text(kPodSlice, "memory.low"), "67108864");
      ASSERT_EQ(kernel.text(kPodSlice, "memory.high"), "134217728");
    }
  }
}

/// The kubelet lowers the shares of a pod whose containers are gone, and then removes it.
TEST_P(Resets, TheWritesToAPodThatIsRemovedAreNobodys) {
  const char* shares = GetParam() ? "cpu.weight" : "cpu.shares";
  want(kPodSlice, Knob::cpu_shares, std::int64_t{500});
  tick();
  remove(kCtrScope);
  write(kPodSlice, shares, "2", {4711, "kubelet"});
  const auto report = tick();
  EXPECT_TRUE(report.foreign.empty() && report.writes.empty());
  EXPECT_EQ(kernel.text(kPodSlice, shares), "2");
  EXPECT_EQ(journal.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Resets, ::testing::Bool(),
                         [](const auto& kernel) { return kernel.param ? "v2" : "v1"; });

}  // namespace
}  // namespace evenkeel::test
