// Which windows of a pressure trigger the kernel gives us, with the right CAP_SYS_RESOURCE and without it.
#include <gtest/gtest.h>

#include <chrono>

#include "cgroup/reclaim/pressure_trigger.h"
#include "tests/support/live/without_rights.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

class LivePressureWindow : public testing::Test {
 protected:
  void SetUp() override {
    if (const int error = refused(10s); error == ENOENT || error == EOPNOTSUPP)
      GTEST_SKIP() << "no pressure on this kernel: " << errno_name(error);
  }
  /// Why there is no trigger with such a window on the node's CPU; 0: there is.
  [[nodiscard]] int refused(Duration window) const {
    const auto trigger = reclaim::open_pressure_trigger(host_, "proc/pressure/cpu", window / 10, window);
    return trigger ? 0 : trigger.error().code;
  }
  Host host_{std::move(*Host::open("/"))};
};

// Before Linux 6.4 no window was shorter than 500 ms.
TEST_F(LivePressureWindow, IsShortForWhoHasTheRight) {
  if (!has_right(CAP_SYS_RESOURCE)) GTEST_SKIP() << "we have no CAP_SYS_RESOURCE";
  const auto shortest = reclaim::shortest_window(host_, 50ms);
  ASSERT_TRUE(shortest) << errno_name(shortest.error().code);
  EXPECT_EQ(*shortest, refused(100ms) == 0 ? Duration(50ms) : Duration(500ms));
  EXPECT_EQ(refused(*shortest), 0);
  EXPECT_EQ(refused(490ms), *shortest == Duration(500ms) ? EINVAL : 0);
  EXPECT_EQ(reclaim::shortest_window(host_, 3s).value(), Duration(3s))
      << "what is asked for, where it is given";
}

// Linux 6.5 and later: multiples of 2 s; before, nothing at all.
TEST_F(LivePressureWindow, IsTwoSecondsOrNoneWithoutTheRight) {
  const WithoutRights poor{CAP_SYS_RESOURCE};
  ASSERT_FALSE(has_right(CAP_SYS_RESOURCE));
  const auto shortest = reclaim::shortest_window(host_, 50ms);
  if (refused(2s) == EPERM) {
    for (const Duration window : {Duration(50ms), Duration(500ms), Duration(4s), Duration(10s)})
      EXPECT_EQ(refused(window), EPERM) << window.count();
    ASSERT_FALSE(shortest);
    EXPECT_EQ(shortest.error().code, EPERM);
    return;
  }
  for (const Duration window :
       {Duration(50ms), Duration(500ms), Duration(1s), Duration(1999ms), Duration(3s)})
    EXPECT_EQ(refused(window), EINVAL) << window.count();
  EXPECT_EQ(refused(2s), 0);
  ASSERT_TRUE(shortest) << errno_name(shortest.error().code);
  EXPECT_EQ(*shortest, Duration(2s));
  EXPECT_EQ(reclaim::shortest_window(host_, 3s).value(), Duration(4s)) << "the next one up";
}

}  // namespace
}  // namespace evenkeel::test
