#include "qos/model/time_window.h"

#include <gtest/gtest.h>

namespace evenkeel {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

MonoTime at(int second) { return MonoTime(seconds(second)); }

TEST(TimeWindow, AveragesByTheTimeThatAValueStandsFor) {
  TimeWindow<2> window;
  EXPECT_EQ(window.average(), std::nullopt);
  EXPECT_EQ(window.last(), std::nullopt);
  window.add(at(1), seconds(1), {100, 7}, seconds(60));
  window.add(at(4), seconds(3), {200, 8}, seconds(60));
  EXPECT_EQ(window.covered(), seconds(4));
  EXPECT_EQ(window.average(), (TimeWindow<2>::Values{175, 7}));
  EXPECT_EQ(window.last(), at(4));
}

TEST(TimeWindow, ForgetsWhatIsOlder) {
  TimeWindow<1> window;
  for (int s = 1; s <= 100; ++s) window.add(at(s), seconds(1), {s}, seconds(60));
  EXPECT_EQ(window.covered(), seconds(60));
  EXPECT_EQ(window.average()->front(), (41 + 100) / 2);
  window.add(at(1000), seconds(1), {5}, seconds(60));
  EXPECT_EQ(window.covered(), seconds(1)) << "and a hole is a hole";
  window.clear();
  EXPECT_EQ(window.average(), std::nullopt);
}

TEST(TimeWindow, AnyWindowFitsAndIsNearlyExact) {
  for (const int window_seconds : {1, 61, 100, 3600, 100000}) {
    TimeWindow<1> window;
    const int end = window_seconds * 2 + 1;
    for (int s = 1; s <= end; ++s) window.add(at(s), seconds(1), {s}, seconds(window_seconds));
    const double covered = std::chrono::duration<double>(window.covered()).count();
    EXPECT_NEAR(covered, window_seconds, 1 + window_seconds / 50.0) << window_seconds;
    const double middle = end - window_seconds / 2.0;
    EXPECT_NEAR(static_cast<double>(window.average()->front()), middle, 1 + window_seconds / 50.0)
        << window_seconds;
  }
}

TEST(TimeWindow, LargeValuesForALongTimeDoNotOverflow) {
  TimeWindow<1> window;
  for (int hour = 1; hour <= 48; ++hour) window.add(MonoTime(hours(hour)), hours(1), {INT64_MAX}, hours(24));
  EXPECT_EQ(window.average()->front(), INT64_MAX);
}

TEST(TimeWindow, FastTicksShareSlots) {
  TimeWindow<1> window;
  for (int i = 1; i <= 1000; ++i)
    window.add(MonoTime(milliseconds(100 * i)), milliseconds(100), {i}, seconds(10));
  EXPECT_NEAR(std::chrono::duration<double>(window.covered()).count(), 10, 0.5);
  EXPECT_NEAR(static_cast<double>(window.average()->front()), 950, 5);
}

}  // namespace
}  // namespace evenkeel
