#include "agent/runtime/time_share.h"

#include <gtest/gtest.h>

namespace evenkeel::runtime {
namespace {

using std::chrono::milliseconds;

TEST(TimeShare, IsUsedUpByManySmallPiecesUntilTheNextTick) {
  TimeShare share{milliseconds(100)};
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(share.used_up()) << i;
    share.add(milliseconds(1));
  }
  EXPECT_FALSE(share.used_up()) << "exactly the share";
  share.add(milliseconds(1));
  EXPECT_TRUE(share.used_up());
  share.renew();
  EXPECT_FALSE(share.used_up());
}

}  // namespace
}  // namespace evenkeel::runtime
