// A journal whose records cannot be told from those of another boot, and one that cannot be written.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "tests/cgroup/executor/journal_on_disk.h"
#include "tests/support/small_disk.h"

namespace evenkeel {
namespace {

using test::JournalOnDisk;
using test::kBoot;

TEST_F(JournalOnDisk, WithoutABootIdNothingMatchesAndNothingIsDropped) {
  ASSERT_TRUE(open()->record_write(quota("be", "-1"), "150000"));
  const auto of_this_boot = text();
  {
    auto journal = *open("");
    EXPECT_EQ(journal.size(), 0U);
    for (int i = 0; i < 8000; ++i)
      ASSERT_TRUE(journal.record_write(quota("ls", "-1"), std::to_string(1000 + i)));
  }
  EXPECT_TRUE(text().starts_with(of_this_boot)) << "however large it is, it is not compacted";
  EXPECT_EQ(open("")->size(), 0U) << "an earlier empty id may be that of another boot";
  EXPECT_EQ(open()->size(), 1U);
}

TEST_F(JournalOnDisk, LiveOnAReadOnlyDiskItIsReadAllTheSame) {
  const test::SmallDisk disk(state_);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  ASSERT_TRUE(open()->record_write(quota("be", "-1"), "150000"));
  ASSERT_TRUE(disk.make_read_only());
  EXPECT_EQ(open().error().code, EROFS);
  {
    auto journal = *executor::Journal::open_to_read(state_, kBoot);
    EXPECT_EQ(journal.size(), 1U);
    EXPECT_EQ(executor::Journal::open_to_read(state_, kBoot).error().code, EWOULDBLOCK) << "locked";
    ASSERT_TRUE(journal.done(quota("be", "").path(), 42));
    EXPECT_EQ(journal.size(), 0U);
  }
  EXPECT_EQ(executor::Journal::open_to_read(state_, kBoot)->size(), 1U) << "only in memory";
}

}  // namespace
}  // namespace evenkeel
