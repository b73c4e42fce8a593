// What the kernel refuses is reported once and left alone longer and longer; nothing else suffers from it.
#include <gtest/gtest.h>

#include <cerrno>

#include "cgroup/executor/executor.h"
#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

class Refusals : public ::testing::Test, public ExecutorNode {
 protected:
  Refusals() : ExecutorNode(false) {}

  static std::string batch_pod(int number) { return "kubepods/besteffort/pod-x" + std::to_string(number); }
  void want_idle_pods(int count) {
    for (int i = 0; i < count; ++i) {
      add(batch_pod(i));
      want(batch_pod(i), Knob::cpu_idle, std::int64_t{1});
    }
  }
  void deny_idle_pods(int count) {
    for (int i = 0; i < count; ++i)
      kernel.fail_writes("sys/fs/cgroup/cpu/" + batch_pod(i) + "/cpu.idle", EPERM);
  }
};

TEST_F(Refusals, ARefusedValueIsLeftAloneLongerAndLonger) {
  kernel.fail_writes("sys/fs/cgroup/cpu/kubepods/besteffort/cpu.cfs_quota_us", EINVAL);
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  auto report = tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].error.code, EINVAL);
  EXPECT_EQ(report.refusals[0].retry_in, 1s);
  EXPECT_EQ(journal.size(), 0U) << "nothing was written";
  int tries = static_cast<int>(kernel.log.size());
  for (int second = 0; second < 3600; ++second) {
    report = tick();
    EXPECT_TRUE(report.refusals.empty()) << "reported once";
  }
  tries = static_cast<int>(kernel.log.size()) - tries;
  EXPECT_GE(tries, 10);
  EXPECT_LE(tries, 16) << "1, 2, 4 … 512, 600, 600 … seconds";
  EXPECT_EQ(executor.counters().quarantined, 1U);

  plan.clear();
  kernel.log.clear();
  want(kBe, Knob::cpu_quota, std::int64_t{160000});
  kernel.fail_writes("sys/fs/cgroup/cpu/kubepods/besteffort/cpu.cfs_quota_us", 0);
  tick();
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "160000") << "another value is tried at once";
  EXPECT_EQ(executor.counters().quarantined, 0U);
}

TEST_F(Refusals, OneRefusalDoesNotKeepTheOthersFromTheirs) {
  kernel.fail_writes("sys/fs/cgroup/cpu/kubepods/besteffort/pod1/cpu.idle", EIO);
  want(kPod, Knob::cpu_idle, std::int64_t{1});
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  want(kCtr, Knob::cpu_burst, std::int64_t{1000});
  EXPECT_EQ(tick().refusals.size(), 1U);
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
  EXPECT_EQ(kernel.text(kCtr, "cpu.cfs_burst_us"), "1000");
  EXPECT_EQ(kernel.text(kPod, "cpu.shares"), "1024");
}

// On record with an unknown inode a value would belong to whatever directory has the path later.
TEST_F(Refusals, NothingIsWrittenInADirectoryThatCannotBeIdentified) {
  const std::string dir = std::string("sys/fs/cgroup/cpu/") + kBe;
  kernel.fail_looks(dir, EMFILE);
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  const auto report = tick();
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].error.code, EMFILE);
  EXPECT_EQ(journal.size(), 0U);
  EXPECT_EQ(kernel.taken(), "");
  kernel.fail_looks(dir, 0);
  for (int second = 0; second < 3; ++second) tick();
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
}

// Without descriptors a file may look absent: what is on record stays there until its directory is gone.
TEST_F(Refusals, AHeldValueWhoseDirectoryCannotBeLookedAtIsNotForgotten) {
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  const std::string dir = std::string("sys/fs/cgroup/cpu/") + kBe, file = dir + "/cpu.cfs_quota_us";
  kernel.fail_reads(file, ENOENT);
  kernel.fail_looks(dir, EMFILE);
  plan.clear();
  want(kBe, Knob::cpu_quota, std::int64_t{160000});
  for (int second = 0; second < 3; ++second) tick();
  EXPECT_EQ(journal.size(), 1U);
  kernel.fail_reads(file, 0);
  kernel.fail_looks(dir, 0);
  executor.restore_all(now);
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "-1");
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(Refusals, AReadOnlyTreeIsNoStorm) {
  want_idle_pods(40);
  kernel.fail_writes("", EROFS);
  std::size_t reports = 0;
  for (int second = 0; second < 600; ++second) reports += tick().refusals.size();
  EXPECT_LE(reports, 40U);
  EXPECT_LE(kernel.log.size(), 120U) << "not 24 000";
  kernel.fail_writes("", 0);
  for (int second = 0; second < 1300; ++second) tick();
  EXPECT_EQ(executor.counters().quarantined, 0U);
  EXPECT_EQ(kernel.text(batch_pod(39), "cpu.idle"), "1");
}

TEST_F(Refusals, ReadOnlySysctlsCostNothingButThemselves) {
  for (const char* name : {"min_free_kbytes", "watermark_scale_factor"}) {
    kernel.node_files[std::string("proc/sys/vm/") + name] = "10\n";
    kernel.fail_writes(std::string("proc/sys/vm/") + name, EROFS);
  }
  plan.push_back({kNodeItself, Knob::min_free_kbytes, std::int64_t{67584}, false, 1, because("the test")});
  plan.push_back(
      {kNodeItself, Knob::watermark_scale_factor, std::int64_t{150}, false, 1, because("the test")});
  for (int second = 0; second < 600; ++second) tick();
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
}

TEST_F(Refusals, AFileThatIsNeverAcceptedCostsNothingButItself) {
  kernel.fail_writes("sys/fs/cgroup/cpu/kubepods/besteffort/pod1/cpu.idle", EPERM);
  want(kPod, Knob::cpu_idle, std::int64_t{1});
  for (int second = 0; second < 512; ++second) tick();  // the last one tries it for the tenth time
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
  plan.clear();
  tick();
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "-1");
}

TEST_F(Refusals, WhileManyFilesRefuseANewValueIsStillTried) {
  want_idle_pods(12);
  deny_idle_pods(12);
  for (int second = 0; second < 100; ++second) tick();
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
}

TEST_F(Refusals, AStopTriesWhatIsLeftAfterManyDenials) {
  want_idle_pods(120);
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  tick();
  ASSERT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
  deny_idle_pods(120);
  executor.restore_all(now);
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "-1");
}

}  // namespace
}  // namespace evenkeel::test
