// The journal's file while it is written: what the disk or other hands do to it costs no record.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cgroup/executor/journal_on_disk.h"
#include "tests/support/no_growth.h"
#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {
namespace fs = std::filesystem;

// As on a disk that takes a part of a line, and gives an error when that is to be cut off again.
TEST_F(JournalOnDisk, WhatStaysOfARefusedLineIsNotGluedToTheNextOne) {
  const Fd file(::memfd_create("journal", MFD_ALLOW_SEALING | MFD_CLOEXEC));
  ASSERT_TRUE(file);
  ASSERT_EQ(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  fs::create_symlink("/proc/self/fd/" + std::to_string(file.get()), state_ + "/journal");
  {
    auto journal = *open();
    ASSERT_TRUE(journal.record_write(quota("a", "-1"), "1000"));
    for (const char* dir : {"b", "c"}) {
      constexpr std::size_t kPartOfALine = 30;
      Result<> refused;
      {
        const NoGrowth full(state_ + "/journal", kPartOfALine);
        refused = journal.record_write(quota(dir, "-1"), "1000");
      }
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, EPERM);
    }
    ASSERT_TRUE(journal.record_write(quota("d", "-1"), "1000"));
    EXPECT_EQ(fs::file_size(state_ + "/journal"), journal.bytes());
  }
  const auto journal = *open();
  EXPECT_EQ(journal.size(), 2U);
  EXPECT_NE(journal.find(quota("a", "").path(), 42), nullptr);
  EXPECT_NE(journal.find(quota("d", "").path(), 42), nullptr);
  EXPECT_EQ(journal.corrupt_records(), 2) << "the parts of b and c";
}

TEST_F(JournalOnDisk, AFileThatWasRemovedOrReplacedIsWrittenAgain) {
  {
    auto journal = *open();
    ASSERT_TRUE(journal.record_write(quota("a", "-1"), "1000"));
    fs::remove(state_ + "/journal");
    ASSERT_TRUE(journal.record_write(quota("b", "-1"), "1000"));
    const auto whole = text();
    fs::rename(state_ + "/journal", state_ + "/elsewhere");
    write("nonsense\n");
    ASSERT_TRUE(journal.keep_file());
    EXPECT_EQ(text(), whole);
    fs::remove_all(state_);
    ASSERT_TRUE(journal.keep_file());
    EXPECT_EQ(text(), whole);
    EXPECT_EQ(open().error().code, EWOULDBLOCK) << "a restore would work against the agent";
  }
  const auto journal = *open();
  EXPECT_EQ(journal.size(), 2U);
  EXPECT_EQ(journal.corrupt_records(), 0);
}

TEST_F(JournalOnDisk, AJournalThatAnotherProcessHasMadeInItsPlaceIsLeftAlone) {
  auto journal = *open();
  ASSERT_TRUE(journal.record_write(quota("a", "-1"), "1000"));
  fs::remove_all(state_);
  fs::create_directory(state_);
  {
    auto another = *open();
    ASSERT_TRUE(another.record_write(quota("b", "-1"), "1000"));
    const auto theirs = text();
    EXPECT_EQ(journal.keep_file().error().code, EWOULDBLOCK);
    EXPECT_EQ(journal.record_write(quota("c", "-1"), "1000").error().code, EWOULDBLOCK);
    EXPECT_EQ(text(), theirs);
  }
  EXPECT_TRUE(journal.keep_file()) << "it has ended";
}

TEST_F(JournalOnDisk, WhereItCannotBeWrittenAgainNothingIsOnRecord) {
  auto journal = *open();
  ASSERT_TRUE(journal.record_write(quota("a", "-1"), "1000"));
  fs::remove_all(state_);
  std::ofstream(state_.c_str()) << "a file in the directory's place";
  EXPECT_EQ(journal.keep_file().error().code, ENOTDIR);
  EXPECT_EQ(journal.record_write(quota("b", "-1"), "1000").error().code, ENOTDIR);
  EXPECT_EQ(journal.size(), 1U);
  fs::remove(state_);
  EXPECT_TRUE(journal.record_write(quota("b", "-1"), "1000"));
}

TEST_F(JournalOnDisk, ATickWithoutAnyChangeWritesARemovedOneAgain) {
  ExecutorNode node(false);
  const auto quota_of = [&] { return node.kernel.text(kBe, "cpu.cfs_quota_us"); };
  const auto before = quota_of();
  node.want(kBe, Knob::cpu_quota, std::int64_t{50000});
  {
    auto journal = *open();
    executor::Executor executor(node.tree(), node.kernel, journal, {});
    const auto tick = [&] {
      node.now += std::chrono::seconds(1);
      static_cast<void>(executor.apply(node.plan, node.observe(), {}));
    };
    tick();
    ASSERT_NE(quota_of(), before);
    fs::remove(state_ + "/journal");
    tick();
  }
  auto journal = *open();
  const auto report = executor::restore_from_journal(node.kernel, journal);
  EXPECT_TRUE(report.refusals.empty());
  EXPECT_EQ(quota_of(), before);
}

}  // namespace
}  // namespace evenkeel::test
