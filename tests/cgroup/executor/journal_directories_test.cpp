// Directories that we make are on record as values are: before, after, and until they are gone.
#include <gtest/gtest.h>

#include <filesystem>

#include "cgroup/executor/journal.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kGroup = "sys/fs/resctrl/evenkeel-be";

using Directories = std::map<std::string, std::uint64_t>;

TEST(JournalDirectories, OutliveTheProcess) {
  StateDir state;
  {
    auto journal = *executor::Journal::open(state.path, kBoot);
    ASSERT_TRUE(journal.record_creation(kGroup));
    ASSERT_TRUE(journal.made(kGroup, 42));
    ASSERT_TRUE(journal.record_creation("sys/fs/resctrl/evenkeel-ls"));
    ASSERT_TRUE(journal.made("sys/fs/resctrl/gone", 7));
    ASSERT_TRUE(journal.unmade("sys/fs/resctrl/gone"));
    ASSERT_TRUE(journal.unmade("sys/fs/resctrl/never"));
  }
  for (int life = 0; life < 2; ++life) {
    const auto journal = *executor::Journal::open(state.path, kBoot);
    EXPECT_EQ(journal.directories(), (Directories{{kGroup, 42}, {"sys/fs/resctrl/evenkeel-ls", 0}}))
        << "compacted at the first opening";
    EXPECT_EQ(journal.corrupt_records(), 0);
    EXPECT_EQ(journal.size(), 0U) << "they are no values";
  }
  EXPECT_TRUE(executor::Journal::open(state.path, "another-boot")->directories().empty());
}

TEST(JournalDirectories, ATornRecordIsNone) {
  StateDir state;
  {
    auto journal = *executor::Journal::open(state.path, kBoot);
    ASSERT_TRUE(journal.made(kGroup, 42));
    ASSERT_TRUE(journal.unmade(kGroup));
  }
  const auto file = state.path + "/journal";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 3);
  EXPECT_EQ(executor::Journal::open(state.path, kBoot)->directories(), (Directories{{kGroup, 42}}));
}

TEST(JournalDirectories, ANameThatLeadsElsewhereIsNoRecord) {
  for (const std::string name : {"", ".", "..", "a/b", "../x"}) {
    const executor::JournalRecord record{
        .boot = kBoot, .directory = true, .entry = {.dir = "sys/fs/resctrl", .inode = 1, .file = name}};
    EXPECT_FALSE(executor::parse_journal_line(executor::journal_line(record))) << name;
  }
  const executor::JournalRecord good{.boot = kBoot,
                                     .directory = true,
                                     .entry = {.dir = "sys/fs/resctrl", .inode = 1, .file = "evenkeel-be"}};
  const auto line = executor::journal_line(good);
  ASSERT_TRUE(executor::parse_journal_line(line));
  for (std::size_t size = 0; size + 1 < line.size(); ++size)
    EXPECT_FALSE(executor::parse_journal_line(line.substr(0, size)));
}

}  // namespace
}  // namespace evenkeel::test
