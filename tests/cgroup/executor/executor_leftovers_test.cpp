// What a killed agent left and the kernel refused to restore at the start is restored later.
#include <gtest/gtest.h>

#include <cerrno>

#include "cgroup/base/disk_text.h"
#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

constexpr const char* kQuotaFile = "sys/fs/cgroup/cpu/kubepods/besteffort/cpu.cfs_quota_us";

/// The killed agent changed the quota from 90000 to 20000; at the start the kernel refuses once.
struct Leftovers : ::testing::Test, ExecutorNode {
  Leftovers() : ExecutorNode(false) {
    const std::string dir = std::string("sys/fs/cgroup/cpu/") + kBe;
    const executor::JournalEntry entry{dir, *kernel.inode(dir), Knob::cpu_quota, "cpu.cfs_quota_us", "90000",
                                       {}};
    EXPECT_TRUE(journal.record_write(entry, "20000"));
    kernel.at(kBe).quota_us = 20000;
    kernel.fail_writes(kQuotaFile, EIO);
    EXPECT_EQ(executor::restore_from_journal(kernel, journal).refusals.size(), 1U);
    kernel.fail_writes(kQuotaFile, 0);
  }
  void expect_restored() {
    EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "90000");
    EXPECT_EQ(journal.size(), 0U);
    EXPECT_TRUE(executor.managed().empty());
  }
};

TEST_F(Leftovers, APolicyThatWantsTheFileLaterRestoresTheTrueOriginal) {
  want(kBe, Knob::cpu_quota, std::int64_t{50000});
  tick();
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "50000");
  executor.restore_all(now);
  expect_restored();
}

TEST_F(Leftovers, ARefusedWriteOfAPolicyKeepsTheRecord) {
  want(kBe, Knob::cpu_quota, std::int64_t{50000});
  kernel.fail_writes(kQuotaFile, EIO);
  tick();
  EXPECT_EQ(journal.size(), 1U);
  kernel.fail_writes(kQuotaFile, 0);
  executor.restore_all(now);
  expect_restored();
}

TEST_F(Leftovers, ATickRestoresThem) {
  EXPECT_EQ(tick().writes.size(), 1U);
  expect_restored();
}

TEST_F(Leftovers, TheStopRestoresThem) {
  executor.restore_all(now);
  expect_restored();
}

TEST_F(Leftovers, WhatAnotherProcessHasWrittenSinceStays) {
  kernel.other(kBe, "cpu.cfs_quota_us", "77000");
  EXPECT_EQ(tick().foreign.size(), 1U);
  EXPECT_EQ(kernel.text(kBe, "cpu.cfs_quota_us"), "77000");
  EXPECT_EQ(journal.size(), 0U);
}

TEST(LeftoversOfDisks, ATickRestoresThem) {
  ExecutorNode node(true);
  node.kernel.disks.devices = {"8:16"};
  node.want_on(kBe, *parse_device("8:16"), Knob::io_read_bps, std::int64_t{1048576});
  node.tick();
  ASSERT_EQ(node.journal.size(), 1U);
  executor::Executor next(node.tree(), node.kernel, node.journal, {});
  for (int second = 0; second < 2; ++second) {
    node.now += std::chrono::seconds(1);
    next.apply({}, node.observe(), {});
  }
  EXPECT_EQ(node.kernel.text(kBe, "io.max"), "");
  EXPECT_EQ(node.journal.size(), 0U);
}

TEST(LeftoversOfTheNode, ATickRestoresThem) {
  ExecutorNode node(true);
  node.kernel.node_files["proc/sys/vm/min_free_kbytes"] = "200000\n";
  const executor::JournalEntry entry{"proc/sys/vm", 0, Knob::min_free_kbytes, "min_free_kbytes", "67584", {}};
  ASSERT_TRUE(node.journal.record_write(entry, "200000"));
  node.tick();
  EXPECT_EQ(node.kernel.node_files["proc/sys/vm/min_free_kbytes"], "67584\n");
  EXPECT_EQ(node.journal.size(), 0U);
}

}  // namespace
}  // namespace evenkeel::test
