// A line of the journal, and a journal without a disk.
#include <gtest/gtest.h>

#include "cgroup/executor/journal.h"

namespace evenkeel {
namespace {

constexpr const char* kBoot = "11111111-2222-3333-4444-555555555555";

TEST(JournalInMemory, KeepsNothingOnDiskAndForgetsNothing) {
  auto journal = executor::Journal::in_memory();
  const executor::JournalEntry entry{
      .dir = "d", .inode = 1, .knob = Knob::cpu_idle, .file = "cpu.idle", .original = "0"};
  ASSERT_TRUE(journal.record_write(entry, "1"));
  EXPECT_EQ(journal.size(), 1U);
  ASSERT_TRUE(journal.done("d/cpu.idle", 1));
  EXPECT_EQ(journal.size(), 0U);
}

TEST(JournalRecord, RefusesEveryMalformedLine) {
  const executor::JournalRecord good{.boot = kBoot,
                                     .entry = {.dir = "d",
                                               .inode = 7,
                                               .knob = Knob::cpu_shares,
                                               .file = "cpu.shares",
                                               .original = "2",
                                               .ours = {"3"}}};
  const auto line = executor::journal_line(good);
  ASSERT_TRUE(executor::parse_journal_line(line.substr(0, line.size() - 1)));
  EXPECT_TRUE(executor::parse_journal_line(line)) << "with its line end as well";
  EXPECT_FALSE(executor::parse_journal_line(line + "\n"));
  for (std::size_t size = 0; size + 1 < line.size(); ++size)
    EXPECT_FALSE(executor::parse_journal_line(line.substr(0, size)));
  auto unknown = good;
  unknown.entry.file = "memory.stat";
  auto text = executor::journal_line(unknown);
  text.pop_back();
  EXPECT_FALSE(executor::parse_journal_line(text)) << "a file that no knob has";
}

}  // namespace
}  // namespace evenkeel
