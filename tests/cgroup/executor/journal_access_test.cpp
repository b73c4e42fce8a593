// A journal whose records cannot be told from those of another boot.
#include <gtest/gtest.h>

#include <string>

#include "tests/cgroup/executor/journal_on_disk.h"

namespace evenkeel {
namespace {

using test::JournalOnDisk;

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

}  // namespace
}  // namespace evenkeel
