// cgroup v1: a CPU goes offline, and the kernel takes it out of every CPU set for good, without an event.
#include <gtest/gtest.h>

#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

struct Hotplug : ::testing::Test, ExecutorNode {
  Hotplug() : ExecutorNode(false) {
    want(kBe, Knob::cpuset_cpus, CpuSet::range(0, 3));
    tick();
  }
  /// As hotplug_update_tasks_legacy() of the kernel.
  void takes_cpu_3() {
    for (const char* path : {"kubepods", kBe, kPod, kCtr}) kernel.at(path).cpus.remove(3);
  }
  void expect_restored(const executor::Report& report, const std::string& cpus) {
    EXPECT_TRUE(report.foreign.empty());
    EXPECT_TRUE(report.refusals.empty());
    for (const char* path : {kBe, kPod, kCtr}) EXPECT_EQ(kernel.text(path, "cpuset.cpus"), cpus) << path;
    EXPECT_EQ(journal.size(), 0U);
  }
};

TEST_F(Hotplug, TheStopRestoresWhatTheDirectoryAboveHasOfTheOriginal) {
  takes_cpu_3();
  expect_restored(executor.restore_all(now), "0-2,4-7");
}

TEST_F(Hotplug, ARestoreAfterACrashRestoresWhatTheDirectoryAboveHasOfTheOriginal) {
  takes_cpu_3();
  expect_restored(executor::restore_from_journal(kernel, journal), "0-2,4-7");
}

TEST_F(Hotplug, APodBornAfterACrashGetsTheOriginalAboveIt) {
  takes_cpu_3();
  kernel.make("kubepods/besteffort/pod2");
  expect_restored(executor::restore_from_journal(kernel, journal), "0-2,4-7");
  EXPECT_EQ(kernel.text("kubepods/besteffort/pod2", "cpuset.cpus"), "0-2,4-7");
}

TEST_F(Hotplug, ARunningAgentTakesItForItsOwn) {
  takes_cpu_3();
  plan.clear();
  want(kBe, Knob::cpuset_cpus, CpuSet::range(0, 2));
  for (int second = 0; second < 3; ++second) EXPECT_TRUE(tick().foreign.empty());
  EXPECT_EQ(kernel.text(kBe, "cpuset.cpus"), "0-2");
  plan.clear();
  tick();
  for (const char* path : {kBe, kPod, kCtr}) EXPECT_EQ(kernel.text(path, "cpuset.cpus"), "0-2,4-7") << path;
  expect_restored(executor.restore_all(now), "0-2,4-7");
}

TEST_F(Hotplug, AContainerThatAsksForLessIsRestoredAfterTheDirectoryAboveIt) {
  plan.clear();
  tick();
  kernel.other(kCtr, "cpuset.cpus", "4-5");
  want(kBe, Knob::cpuset_cpus, CpuSet::range(0, 3));
  tick();
  ASSERT_EQ(kernel.text(kCtr, "cpuset.cpus"), "0-3");
  takes_cpu_3();
  const auto report = executor::restore_from_journal(kernel, journal);
  EXPECT_TRUE(report.refusals.empty());
  EXPECT_EQ(kernel.text(kBe, "cpuset.cpus"), "0-2,4-7");
  EXPECT_EQ(kernel.text(kCtr, "cpuset.cpus"), "4-5");
}

// Another process narrows the directory above for a while; the kernel has taken nothing.
TEST_F(Hotplug, WhatAProcessTakesAboveForAWhileIsNotLostBelow) {
  plan.clear();
  want(kBe, Knob::cpuset_cpus, CpuSet::range(0, 1));
  tick();
  kernel.other(kBe, "cpuset.cpus", "0-3");
  plan.clear();
  tick();
  kernel.other(kBe, "cpuset.cpus", "0-7");
  for (int second = 0; second < 3; ++second) tick();
  for (const char* path : {kPod, kCtr}) EXPECT_EQ(kernel.text(path, "cpuset.cpus"), "0-7") << path;
}

TEST_F(Hotplug, ASmallerSetThatAProcessWroteIsForeign) {
  takes_cpu_3();
  seen.push_back({.cgroup = id(kCtr), .file = "cpuset.cpus"});
  EXPECT_EQ(tick().foreign.size(), 1U);
  EXPECT_EQ(kernel.text(kCtr, "cpuset.cpus"), "0-2");
}

// Unseen, for example while no agent ran.
TEST_F(Hotplug, ASmallerSetIsForeignWhereTheDirectoryAboveHasTheCpu) {
  kernel.at(kCtr).cpus.remove(3);
  const auto report = executor::restore_from_journal(kernel, journal);
  EXPECT_EQ(report.foreign.size(), 1U);
  EXPECT_EQ(kernel.text(kCtr, "cpuset.cpus"), "0-2");
  EXPECT_EQ(kernel.text(kPod, "cpuset.cpus"), "0-7");
}

TEST_F(Hotplug, TheAgentTakesASmallerSetForForeignWhereTheDirectoryAboveHasTheCpu) {
  kernel.at(kCtr).cpus.remove(3);
  EXPECT_EQ(tick().foreign.size(), 1U);
  EXPECT_EQ(kernel.text(kCtr, "cpuset.cpus"), "0-2");
}

}  // namespace
}  // namespace evenkeel::test
