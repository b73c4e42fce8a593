#include "cgroup/executor/journal.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <filesystem>
#include <random>

#include "tests/cgroup/executor/journal_on_disk.h"

namespace evenkeel {
namespace {
namespace fs = std::filesystem;

using test::JournalOnDisk;
using test::kBoot;

std::string summary(const executor::Journal& journal) {
  std::string out;
  for (const auto& entry : journal.entries()) {
    out += entry.path() + " was " + entry.original + " ours";
    for (const auto& text : entry.ours) out += " " + text;
    out += "\n";
  }
  return out;
}

TEST_F(JournalOnDisk, WhatWasWrittenIsThereAfterReopening) {
  {
    auto journal = *open();
    ASSERT_TRUE(journal.record_write(quota("be", "-1"), "150000"));
    ASSERT_TRUE(journal.record_write(quota("be", "-1"), "140000"));
    ASSERT_TRUE(journal.record_write(quota("be", "-1"), "130000"));
    ASSERT_TRUE(journal.record_write(quota("ls", "5000"), "6000"));
    ASSERT_TRUE(journal.done(quota("ls", "").path(), 42));
  }
  const auto journal = *open();
  EXPECT_EQ(summary(journal), "sys/fs/cgroup/cpu/be/cpu.cfs_quota_us was -1 ours 150000 140000 130000\n");
  EXPECT_EQ(journal.corrupt_records(), 0);
  ASSERT_NE(journal.find("sys/fs/cgroup/cpu/be/cpu.cfs_quota_us", 42), nullptr);
  EXPECT_EQ(journal.find("sys/fs/cgroup/cpu/be/cpu.cfs_quota_us", 43), nullptr) << "another life";
}

TEST_F(JournalOnDisk, WhatTheFileHoldsIsKeptHoweverManyWritesFail) {
  auto journal = *open();
  ASSERT_TRUE(journal.record_write(quota("be", "-1"), "1000"));
  auto entry = quota("be", "-1");
  entry.ours = {"1000"};
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(journal.record_write(entry, std::to_string(5000 + i)));
  const auto* kept = journal.find(entry.path(), 42);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->ours.size(), executor::Journal::kMaxWrittenTexts);
  EXPECT_EQ(kept->ours[1] + " " + kept->ours[2], "1000 5019");
}

TEST_F(JournalOnDisk, EachPlaceIsFoundByItsPathAndLife) {
  auto journal = *open();
  const std::vector<std::string> cgroups = {"be", "be-b", "be/b", "b"};
  for (const auto& cgroup : cgroups) ASSERT_TRUE(journal.record_write(quota(cgroup, cgroup), "1000"));
  for (const auto& cgroup : cgroups) {
    const auto* entry = journal.find(quota(cgroup, "").path(), 42);
    ASSERT_NE(entry, nullptr) << cgroup;
    EXPECT_EQ(entry->original, cgroup);
  }
  EXPECT_EQ(journal.find("cpu.cfs_quota_us", 42), nullptr);
  EXPECT_EQ(journal.find("", 42), nullptr);
  for (const auto& cgroup : cgroups) {
    ASSERT_TRUE(journal.done(quota(cgroup, "").path(), 42));
    EXPECT_EQ(journal.find(quota(cgroup, "").path(), 42), nullptr) << cgroup;
  }
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(JournalOnDisk, SayingTheSameAgainCostsNothing) {
  auto journal = *open();
  ASSERT_TRUE(journal.record_write(quota("be", "-1"), "150000"));
  const auto before = journal.bytes();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(journal.record_write(quota("be", "-1"), "150000"));
  EXPECT_EQ(journal.bytes(), before);
}

TEST_F(JournalOnDisk, AnOwnersNewerValueIsTheOriginalFromThenOn) {
  auto journal = *open();
  ASSERT_TRUE(journal.record_write(quota("be", "-1"), "150000"));
  ASSERT_TRUE(journal.record_write(quota("be", "90000"), "150000"));
  EXPECT_EQ(summary(journal), "sys/fs/cgroup/cpu/be/cpu.cfs_quota_us was 90000 ours 150000\n");
}

TEST_F(JournalOnDisk, TextsOfAnyKindSurvive) {
  auto entry = quota("a b%c", "");
  entry.original = "max 100000 % \n\x01\xff";
  {
    auto journal = *open();
    ASSERT_TRUE(journal.record_write(entry, ""));
  }
  const auto entries = open()->entries();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].dir, entry.dir);
  EXPECT_EQ(entries[0].original, entry.original);
  EXPECT_EQ(entries[0].ours, std::vector<std::string>{""});
}

TEST_F(JournalOnDisk, KeepsBackWhatIsOverButNothingThatMustPrecedeAWrite) {
  const auto first = quota("be", "-1"), second = quota("ls", "5000");
  {
    auto journal = *open();
    ASSERT_TRUE(journal.record_write(first, "1000"));
    const auto before = text();
    journal.keep_back();
    ASSERT_TRUE(journal.record_write(first, "-1"));
    ASSERT_TRUE(journal.done(first.path(), 42));
    EXPECT_EQ(text(), before);
    EXPECT_EQ(journal.size(), 0U);
    ASSERT_TRUE(journal.record_write(second, "5000"));
    EXPECT_NE(text(), before) << "new, though the value stays";
    ASSERT_TRUE(journal.record_write(second, "6000"));
    ASSERT_TRUE(journal.done(second.path(), 42));
    EXPECT_EQ(summary(journal), "");
  }
  EXPECT_EQ(summary(*open()), "sys/fs/cgroup/cpu/ls/cpu.cfs_quota_us was 5000 ours 5000 6000\n")
      << "as if the process had ended before the last record";
  {
    auto journal = *open();
    journal.keep_back();
    ASSERT_TRUE(journal.done(second.path(), 42));
    ASSERT_TRUE(journal.write_kept_back());
  }
  EXPECT_EQ(summary(*open()), "");
}

TEST_F(JournalOnDisk, ASecondAgentIsTurnedAway) {
  const auto first = open();
  ASSERT_TRUE(first);
  EXPECT_EQ(open().error().code, EWOULDBLOCK);
}

TEST_F(JournalOnDisk, AnotherBootsRecordsAreDropped) {
  ASSERT_TRUE(open()->record_write(quota("be", "-1"), "150000"));
  const auto journal = *open("99999999-2222-3333-4444-555555555555");
  EXPECT_EQ(journal.size(), 0U);
  EXPECT_EQ(journal.corrupt_records(), 0);
  EXPECT_EQ(text(), "") << "and cleared away";
}

TEST_F(JournalOnDisk, EmptyAndGarbageFilesAreAnEmptyJournal) {
  const std::string garbage[] = {"",
                                 "\n",
                                 "\n\n\n",
                                 "garbage",
                                 "garbage\n",
                                 std::string(100000, '\0'),
                                 std::string(5000, '\xff') + "\n",
                                 "00000000 x w 1 cpu.shares d 1 % 2\n"};
  for (const auto& content : garbage) {
    write(content);
    auto journal = open();
    ASSERT_TRUE(journal);
    EXPECT_EQ(journal->size(), 0U);
    EXPECT_TRUE(journal->record_write(quota("be", "-1"), "1000"));
  }
}

TEST_F(JournalOnDisk, WhatIsNotAFileIsAnError) {
  fs::create_directory(state_ + "/journal");
  EXPECT_EQ(open().error().code, EISDIR);
}

TEST_F(JournalOnDisk, ACorruptLineInTheMiddleIsSkippedAndCounted) {
  {
    auto journal = *open();
    for (const char* dir : {"a", "b", "c"}) ASSERT_TRUE(journal.record_write(quota(dir, "-1"), "1000"));
  }
  auto broken = text();
  broken[broken.find("cpu/b") + 4] = 'x';
  write(broken);
  const auto journal = *open();
  EXPECT_EQ(journal.size(), 2U);
  EXPECT_EQ(journal.corrupt_records(), 1);
}

/// A life of a journal: the text on disk and what it meant after each record.
struct Life {
  std::string text{};
  std::vector<std::pair<std::size_t, std::string>> states{};  ///< (bytes, summary)
};

class JournalLife : public JournalOnDisk {
 protected:
  Life live() const {
    Life life;
    auto journal = *open();
    life.states.emplace_back(0, "");
    const auto step = [&] { life.states.emplace_back(journal.bytes(), summary(journal)); };
    for (int i = 0; i < 12; ++i) {
      const auto entry = quota("pod" + std::to_string(i % 4), std::to_string(i % 4 + 5000));
      if (i % 5 == 4) {
        static_cast<void>(journal.done(entry.path(), 42));
      } else {
        static_cast<void>(journal.record_write(entry, std::to_string(10000 + i)));
      }
      step();
    }
    life.text = text();
    return life;
  }
  /// Every entry names a file and an original that the life had, and texts that we really wrote there.
  static void expect_honest(const executor::Journal& journal) {
    for (const auto& entry : journal.entries()) {
      ASSERT_TRUE(entry.dir.starts_with("sys/fs/cgroup/cpu/pod")) << entry.dir;
      const int pod = entry.dir.back() - '0';
      EXPECT_EQ(entry.original, std::to_string(pod + 5000));
      for (const auto& ours : entry.ours) EXPECT_EQ((std::stoi(ours) - 10000) % 4, pod) << entry.dir << ours;
    }
  }
};

TEST_F(JournalLife, CutOffAtAnyByteItHoldsWhatItHeldThen) {
  const auto life = live();
  for (std::size_t cut = 0; cut <= life.text.size(); ++cut) {
    write(std::string_view(life.text).substr(0, cut));
    const auto journal = *open();
    EXPECT_EQ(journal.corrupt_records(), 0) << cut;
    std::string expected;
    // A record counts from its last byte on; the line end behind it adds nothing.
    for (const auto& [bytes, state] : life.states)
      if (cut + 1 >= bytes) expected = state;
    EXPECT_EQ(summary(journal), expected) << cut;
  }
}

TEST_F(JournalLife, GoesOnAfterATornLine) {
  const auto life = live();
  for (std::size_t cut = 0; cut <= life.text.size(); cut += 7) {
    write(std::string_view(life.text).substr(0, cut));
    ASSERT_TRUE(open()->record_write(quota("pod3", "5003"), "10003"));
    const auto journal = *open();
    EXPECT_EQ(journal.corrupt_records(), 0) << cut;
    ASSERT_NE(journal.find("sys/fs/cgroup/cpu/pod3/cpu.cfs_quota_us", 42), nullptr) << cut;
  }
}

TEST_F(JournalLife, FlippedBitsNeverMakeALie) {
  const auto life = live();
  std::mt19937 random(20261121);
  for (int round = 0; round < 3000; ++round) {
    auto text = life.text;
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
      text[random() % text.size()] ^= static_cast<char>(1U << (random() % 8));
    write(text);
    expect_honest(*open());
  }
}

TEST_F(JournalOnDisk, ItShrinksWhenMostOfItIsDead) {
  auto journal = *open();
  ASSERT_TRUE(journal.record_write(quota("first", "-1"), "5000"));
  for (int i = 0; i < 20000; ++i)
    ASSERT_TRUE(journal.record_write(quota("be", "-1"), std::to_string(1000 + i % 7)));
  EXPECT_LT(journal.bytes(), 300U * 1024);
  EXPECT_EQ(fs::file_size(state_ + "/journal"), journal.bytes());
  const auto before = summary(journal);
  { const auto gone = std::move(journal); }
  EXPECT_EQ(summary(*open()), before);
}

TEST_F(JournalOnDisk, AManyPodsJournalIsNotCompactedOverAndOver) {
  auto journal = *open();
  for (int i = 0; i < 4000; ++i)
    ASSERT_TRUE(journal.record_write(quota("pod" + std::to_string(i), "-1"), "5000"));
  { const auto gone = std::move(journal); }
  EXPECT_EQ(open()->size(), 4000U);
}

TEST_F(JournalOnDisk, LiveAFullDiskIsAnErrorAndNothingIsLost) {
  if (::mount("tmpfs", state_.c_str(), "tmpfs", 0, "size=16k") != 0)
    GTEST_SKIP() << "cannot mount a small disk";
  {
    auto journal = *open();
    int written = 0;
    Result<> put;
    for (; written < 10000 && put; ++written)
      put = journal.record_write(quota("pod" + std::to_string(written), "-1"), "5000");
    EXPECT_EQ(put.error().code, ENOSPC);
    EXPECT_EQ(journal.size(), static_cast<std::size_t>(written - 1)) << "what is not on record is not held";
    EXPECT_EQ(fs::file_size(state_ + "/journal"), journal.bytes()) << "no half record stays";
  }
  EXPECT_GT(open()->size(), 10U);
  ::umount2(state_.c_str(), MNT_DETACH);
}

}  // namespace
}  // namespace evenkeel
