#include <gtest/gtest.h>

#include "cgroup/base/text.h"

namespace evenkeel {
namespace {

TEST(Checksum, IsTheStandardCrc32) {
  EXPECT_EQ(checksum_text("123456789"), "cbf43926");
  EXPECT_EQ(checksum_text(""), "00000000");
  EXPECT_EQ(checksum_text("The quick brown fox jumps over the lazy dog"), "414fa339");
}

}  // namespace
}  // namespace evenkeel
