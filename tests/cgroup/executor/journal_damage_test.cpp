// Lines of the journal that cannot be read, and the format that must go on being read.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cgroup/base/text.h"
#include "tests/cgroup/executor/journal_on_disk.h"

namespace evenkeel {
namespace {
namespace fs = std::filesystem;

using test::JournalOnDisk;
using test::kBoot;

class DamagedJournal : public JournalOnDisk {
 protected:
  /// Three values on record, the second of which cannot be read any more. Returns its line.
  [[nodiscard]] std::string damage() const {
    {
      auto journal = *open();
      for (const char* dir : {"a", "b", "c"})
        static_cast<void>(journal.record_write(quota(dir, "-1"), "1000"));
    }
    auto broken = text();
    broken[broken.find("cpu/b") + 4] = 'x';
    write(broken);
    const auto first = broken.find('\n') + 1;
    return broken.substr(first, broken.find('\n', first) + 1 - first);
  }
  [[nodiscard]] std::string kept() const { return file("journal.damaged"); }
};

TEST_F(DamagedJournal, ItsLineIsKeptAsideAndCountedUntilTheFileIsRemoved) {
  const auto line = damage();
  EXPECT_EQ(open()->corrupt_records(), 1);
  EXPECT_TRUE(kept().ends_with(line)) << kept();
  EXPECT_EQ(text().find(line), std::string::npos) << "compacted";
  EXPECT_EQ(open()->corrupt_records(), 1) << "the next agent still says so";
  const auto once = kept();
  write(text() + "another line\n" + text());
  EXPECT_EQ(open()->corrupt_records(), 2);
  EXPECT_EQ(kept(), once + "another line\n");
  fs::remove(state_ + "/journal.damaged");
  EXPECT_EQ(open()->corrupt_records(), 0);
}

TEST_F(DamagedJournal, LinesOfAnotherBootAreReplaced) {
  static_cast<void>(damage());
  static_cast<void>(*open());
  EXPECT_EQ(open("another-boot")->corrupt_records(), 0);
  write("from the other boot\n");
  EXPECT_EQ(open("another-boot")->corrupt_records(), 1);
  EXPECT_NE(kept().find("another-boot"), std::string::npos);
  EXPECT_TRUE(kept().ends_with("file when you have seen to it\nfrom the other boot\n")) << kept();
}

TEST_F(DamagedJournal, ItsLineStaysWhileItCannotBeKeptAndTheRestIsCompacted) {
  const auto line = damage();
  fs::create_directory(state_ + "/journal.damaged");
  auto journal = *open();
  EXPECT_EQ(journal.corrupt_records(), 2) << "what is there cannot be read, either";
  for (int i = 0; i < 8000; ++i) ASSERT_TRUE(journal.record_write(quota("a", "-1"), std::to_string(i)));
  EXPECT_NE(text().find(line), std::string::npos);
  EXPECT_LT(text().size(), std::size_t{300} * 1024) << "it would grow for days";
  fs::remove(state_ + "/journal.damaged");
  for (int i = 0; i < 8000; ++i) ASSERT_TRUE(journal.record_write(quota("a", "-1"), std::to_string(i)));
  EXPECT_EQ(text().find(line), std::string::npos);
  EXPECT_TRUE(kept().ends_with(line));
}

// As on a disk that gives no bytes of it: what was kept before must not be replaced.
TEST_F(DamagedJournal, WhatWasKeptIsNotReplacedUnread) {
  const auto line = damage();
  static_cast<void>(*open());
  const auto before = kept();
  constexpr std::uintmax_t kTooLarge = 65U << 20U;  // without blocks on the disk
  fs::resize_file(state_ + "/journal.damaged", kTooLarge);
  write(line + text());
  EXPECT_EQ(open()->corrupt_records(), 2) << "that file, and the new line";
  EXPECT_EQ(fs::file_size(state_ + "/journal.damaged"), kTooLarge);
  EXPECT_TRUE(text().starts_with(line)) << "not compacted away";
  fs::resize_file(state_ + "/journal.damaged", before.size());
  EXPECT_EQ(open()->corrupt_records(), 2);
  EXPECT_EQ(kept(), before + line);
}

// What a later version may add: a line with a good checksum that says nothing to this one.
TEST_F(DamagedJournal, ALineOfALaterKindIsKeptAside) {
  {
    auto journal = *open();
    ASSERT_TRUE(journal.record_write(quota("a", "-1"), "1000"));
  }
  const auto body = std::string(kBoot) + " x 42 cpu.new sys/fs/cgroup/cpu/a 7";
  const auto later = checksum_text(body) + " " + body;
  write(text() + later + "\n" + text());
  EXPECT_EQ(open()->corrupt_records(), 1);
  EXPECT_TRUE(kept().ends_with(later + "\n")) << kept();
}

// The format as the releases until now wrote it. A change must go on reading it, and needs a kind of its own:
// an older evenkeel that meets it keeps the line aside.
TEST_F(JournalOnDisk, TheFormatIsThatOfEarlierReleases) {
  const std::string boot = kBoot;
  const std::string released =
      "dfc27a2d " + boot + " w 42 cpu.cfs_quota_us sys/fs/cgroup/cpu/a%20b 100000%20100000 max%20100000\n" +
      "8b2daf75 " + boot + " m 7 evenkeel_BE sys/fs/resctrl\n";
  const std::string released_ends = "b778ed8e " + boot + " d 42 cpu.cfs_quota_us sys/fs/cgroup/cpu/a%20b\n" +
                                    "c3b78d76 " + boot + " u 7 evenkeel_BE sys/fs/resctrl\n";
  {
    auto journal = *open();
    ASSERT_TRUE(journal.record_write(quota("a b", "100000 100000"), "max 100000"));
    ASSERT_TRUE(journal.made("sys/fs/resctrl/evenkeel_BE", 7));
    EXPECT_EQ(text(), released);
    ASSERT_TRUE(journal.done(quota("a b", "").path(), 42));
    ASSERT_TRUE(journal.unmade("sys/fs/resctrl/evenkeel_BE"));
  }
  EXPECT_EQ(text(), released + released_ends);
  write(released);
  {
    const auto journal = *open();
    ASSERT_NE(journal.find("sys/fs/cgroup/cpu/a b/cpu.cfs_quota_us", 42), nullptr);
    EXPECT_EQ(journal.directories().at("sys/fs/resctrl/evenkeel_BE"), 7U);
  }
  write(released + released_ends);
  const auto journal = *open();
  EXPECT_EQ(journal.corrupt_records(), 0);
  EXPECT_EQ(journal.size(), 0U);
  EXPECT_TRUE(journal.directories().empty());
}

}  // namespace
}  // namespace evenkeel
