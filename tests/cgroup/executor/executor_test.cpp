// The executor against a kernel that refuses what the real one refuses.
#include "cgroup/executor/executor.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

class ExecutorV1 : public ::testing::Test, public ExecutorNode {
 protected:
  ExecutorV1() : ExecutorNode(false) {}
};
class ExecutorV2 : public ::testing::Test, public ExecutorNode {
 protected:
  ExecutorV2() : ExecutorNode(true) {}
};

TEST_F(ExecutorV1, WritesWhatIsWishedAndPutsBackWhatIsWishedNoMore) {
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  auto report = tick();
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_EQ(report.writes[0].path, "sys/fs/cgroup/cpu/kubepods/besteffort/cpu.cfs_quota_us");
  EXPECT_EQ(report.writes[0].old_text + " " + report.writes[0].new_text, "-1 150000");
  EXPECT_FALSE(report.writes[0].restored);
  ASSERT_EQ(executor.managed().size(), 1U);
  EXPECT_EQ(executor.managed()[0].original, "-1");
  plan.clear();
  report = tick();
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_TRUE(report.writes[0].restored);
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "-1");
  EXPECT_TRUE(executor.managed().empty());
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(ExecutorV1, ASteadyTickReadsWritesAndAllocatesNothing) {
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  want(kPod, Knob::cpu_idle, std::int64_t{1});
  kernel.at(kCtr).quota_us = 200000;  // comes along with its parent
  tick();
  tick();
  const auto node = observe();
  kernel.log.clear();
  kernel.reads = 0;
  AllocGuard guard;
  const auto report = executor.apply(plan, node, {});
  EXPECT_EQ(guard.allocations(), 0U);
  EXPECT_EQ(kernel.reads, 0);
  EXPECT_TRUE(kernel.log.empty() && report.writes.empty());
}

TEST_F(ExecutorV1, AStaleSnapshotCostsALookAndNoWrite) {
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  const auto before = observe();
  executor.apply(plan, before, {});
  kernel.log.clear();
  const auto report = executor.apply(plan, before, {});
  EXPECT_TRUE(report.writes.empty() && report.foreign.empty());
  EXPECT_EQ(kernel.taken(), "");
}

TEST_F(ExecutorV1, WhatTheKernelHoldsAlreadyIsNotOurs) {
  kernel.at(kBe).quota_us = 150000;
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  EXPECT_EQ(kernel.taken(), "");
  EXPECT_TRUE(executor.managed().empty());
}

TEST_F(ExecutorV1, QuotasBelowComeIntoWhatTheirParentHasAndGoBack) {
  kernel.at(kPod).quota_us = 400000;
  kernel.at(kCtr).quota_us = 300000;
  kernel.at(kCtr).burst_us = 200000;
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  const auto report = tick();
  EXPECT_TRUE(report.refusals.empty());
  EXPECT_EQ(kernel.taken(),
            "kubepods/besteffort/pod1/ctr/cpu.cfs_burst_us <- 150000\n"
            "kubepods/besteffort/pod1/ctr/cpu.cfs_quota_us <- 150000\n"
            "kubepods/besteffort/pod1/cpu.cfs_quota_us <- 150000\n"
            "kubepods/besteffort/cpu.cfs_quota_us <- 150000\n");
  plan.clear();
  tick();
  EXPECT_EQ(kernel.text(kPod, "cpu.cfs_quota_us"), "400000");
  EXPECT_EQ(kernel.text(kCtr, "cpu.cfs_quota_us"), "300000");
  EXPECT_EQ(kernel.text(kCtr, "cpu.cfs_burst_us"), "200000");
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(ExecutorV2, OnV2QuotasBelowStay) {
  kernel.at(kPod).quota_us = 400000;
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  EXPECT_EQ(kernel.taken(), "kubepods/besteffort/cpu.max <- 150000 100000\n");
}

TEST_F(ExecutorV1, CpusetsMoveWithoutEverBeingIllegal) {
  for (const char* path : {kBe, kPod, kCtr}) want(path, Knob::cpuset_cpus, CpuSet::range(0, 1));
  EXPECT_TRUE(tick().refusals.empty());
  plan.clear();
  for (const char* path : {kBe, kPod, kCtr}) want(path, Knob::cpuset_cpus, CpuSet::range(4, 5));
  EXPECT_TRUE(tick().refusals.empty());
  EXPECT_EQ(kernel.text(kCtr, "cpuset.cpus"), "4-5");
  EXPECT_EQ(kernel.text(kBe, "cpuset.cpus"), "4-5");
  executor.restore_all(now);
  for (const char* path : {kBe, kPod, kCtr}) EXPECT_EQ(kernel.text(path, "cpuset.cpus"), "0-7");
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(ExecutorV1, WhatTheSnapshotDoesNotKnowIsReadFromTheFiles) {
  for (const char* list : {"0-1", "2-3", "0-7", "5"}) {
    plan.clear();
    for (const char* path : {kBe, kPod, kCtr}) want(path, Knob::cpuset_cpus, *CpuSet::parse(list));
    auto node = observe();
    for (auto& sample : node.cgroups) sample.applied = {};
    const auto report = executor.apply(plan, node, {});
    ASSERT_TRUE(report.refusals.empty() && report.foreign.empty()) << list << "\n" << kernel.taken();
    EXPECT_EQ(kernel.text(kCtr, "cpuset.cpus"), list);
    EXPECT_EQ(kernel.text(kBe, "cpuset.cpus"), list);
  }
}

TEST_F(ExecutorV1, SharesComeBackWhenTheGroupIsIdleNoMore) {
  kernel.at(kPod).shares = 512;
  want(kPod, Knob::cpu_idle, std::int64_t{1});
  tick();
  EXPECT_EQ(kernel.text(kPod, "cpu.shares"), "3");
  EXPECT_EQ(journal.size(), 2U) << "idle, and the shares that the kernel forgets";
  EXPECT_TRUE(tick().foreign.empty()) << "the kernel's own change is not foreign";
  plan.clear();
  tick();
  EXPECT_EQ(kernel.text(kPod, "cpu.idle"), "0");
  EXPECT_EQ(kernel.text(kPod, "cpu.shares"), "512");
  EXPECT_EQ(journal.size(), 0U);
  EXPECT_TRUE(executor.managed().empty());
}

TEST_F(ExecutorV2, WeightsComeBackToo) {
  kernel.at(kPod).shares = 205;  // weight 20
  want(kPod, Knob::cpu_idle, std::int64_t{1});
  tick();
  EXPECT_EQ(kernel.taken(), "kubepods/besteffort/pod1/cpu.idle <- 1\n") << "the kernel takes the weight";
  EXPECT_EQ(kernel.text(kPod, "cpu.weight"), "0");
  tick();
  executor.restore_all(now);
  EXPECT_EQ(kernel.text(kPod, "cpu.weight"), "20");
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(ExecutorV1, AHoldKeepsWhatIsThereAndWritesNothing) {
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  plan.clear();
  hold(kBe, Knob::cpu_quota);
  kernel.log.clear();
  tick();
  EXPECT_EQ(kernel.taken(), "");
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
  EXPECT_EQ(executor.managed().size(), 1U);
}

TEST_F(ExecutorV1, WhatTheTableForbidsNeverReachesTheKernel) {
  want(kBe, Knob::cpu_quota, std::int64_t{999});
  want(kPod, Knob::cpuset_cpus, CpuSet{});
  const auto report = tick();
  ASSERT_EQ(report.refusals.size(), 2U) << "guard rails: below a millisecond, and an empty set";
  EXPECT_EQ(kernel.taken(), "");
}

TEST_F(ExecutorV1, AVanishedCgroupIsNoError) {
  want(kPod, Knob::cpu_idle, std::int64_t{1});
  tick();
  const auto stale = observe();
  kernel.remove(kPod);
  plan.clear();
  auto report = executor.apply(plan, stale, {});
  EXPECT_TRUE(report.refusals.empty() && report.foreign.empty() && report.writes.empty());
  EXPECT_EQ(journal.size(), 0U);
  remove(kPod);
  report = tick();
  EXPECT_TRUE(report.refusals.empty());
  EXPECT_TRUE(executor.managed().empty());
}

TEST_F(ExecutorV1, HandsOffMeansOriginalsAndNothingBesides) {
  want(kPod, Knob::cpu_idle, std::int64_t{1});
  tick();
  plan.clear();
  hands_off.insert(kPod);
  tick();
  EXPECT_EQ(kernel.text(kPod, "cpu.idle"), "0");
  kernel.log.clear();
  kernel.at(kPod).quota_us = 400000;
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  EXPECT_EQ(tick().refusals.size(), 1U)
      << "v1 takes no parent below its child, and the child is not ours to change";
  EXPECT_EQ(kernel.text(kPod, "cpu.cfs_quota_us"), "400000");
}

// --- dry run, v2's empty set, vendors

TEST(ExecutorDryRun, SaysOnceWhatItWouldDoAndTouchesNothing) {
  ExecutorNode node(false, {.dry_run = true});
  node.want(kBe, Knob::cpu_quota, std::int64_t{150000});
  EXPECT_EQ(node.tick().writes.size(), 1U);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(node.tick().writes.empty());
  node.plan.clear();
  node.want(kBe, Knob::cpu_quota, std::int64_t{140000});
  const auto report = node.tick();
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_EQ(report.writes[0].old_text + " " + report.writes[0].new_text, "150000 140000");
  node.plan.clear();
  EXPECT_EQ(node.tick().writes.size(), 1U);
  EXPECT_TRUE(node.tick().writes.empty());
  EXPECT_EQ(node.kernel.taken(), "");
  EXPECT_EQ(node.journal.size(), 0U);
}

TEST_F(ExecutorV2, ASetThatV2DoesNotTakeBackBecomesTheWidestAndStaysOnRecord) {
  kernel.at(kPod).tasks = true;
  want(kPod, Knob::cpuset_cpus, CpuSet::range(0, 1));
  tick();
  plan.clear();
  auto report = tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].error.code, ENOSPC);
  EXPECT_EQ(kernel.text(kPod, "cpuset.cpus"), "0-7") << "all that the parent has";
  EXPECT_EQ(journal.size(), 1U);
  for (int second = 0; second < 100; ++second) ASSERT_TRUE(tick().refusals.empty());
  kernel.at(kPod).tasks = false;
  for (int second = 0; second < 600; ++second) tick();
  EXPECT_EQ(kernel.text(kPod, "cpuset.cpus"), "") << "empty of processes: now it can go back";
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(ExecutorV2, AnEmptySetOfAGroupWithoutProcessesGoesBackAtOnce) {
  want(kPod, Knob::cpuset_cpus, CpuSet::range(0, 1));
  tick();
  executor.restore_all(now);
  EXPECT_EQ(kernel.text(kPod, "cpuset.cpus"), "");
}

TEST_F(ExecutorV1, AVendorsLeverIsNotMissedOnMainline) {
  want(kPod, Knob::cpu_bvt, std::int64_t{-1});
  EXPECT_TRUE(tick().refusals.empty());
}

}  // namespace
}  // namespace evenkeel::test
