#include <gtest/gtest.h>

#include "agent/history/usage_history.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

MonoTime at(int second) { return MonoTime(seconds(second)); }

TEST(UsageWindow, KnowsNothingBeforeTheFirstMeasurement) {
  const history::UsageWindow window(minutes(5), 300);
  EXPECT_EQ(window.average(at(-1000)), Usage{});
  EXPECT_FALSE(window.newest());
}

TEST(UsageWindow, AveragesByTimeAndKeepsUnknownPartsOut) {
  history::UsageWindow window(minutes(5), 300);
  window.add(at(1), seconds(1), {1000_mcpu, 100_B});
  window.add(at(4), seconds(3), {2000_mcpu, std::nullopt});
  EXPECT_EQ(window.average(at(0)), (Usage{1750_mcpu, 100_B}));
  EXPECT_EQ(window.average(at(1)), (Usage{2000_mcpu, std::nullopt}));
  EXPECT_EQ(window.newest(), at(4));
}

TEST(UsageWindow, DropsMeasurementsOlderThanItsLength) {
  history::UsageWindow window(seconds(10), 10);
  for (int second = 1; second <= 100; ++second)
    window.add(at(second), seconds(1), {MilliCpu(second <= 90 ? 8000 : 1000), 1_B});
  EXPECT_EQ(window.average(at(90)).cpu, 1000_mcpu);
  EXPECT_EQ(window.average(at(89)).cpu, MilliCpu(18000 / 11)) << "one slot more than the length is kept";
  EXPECT_EQ(window.average(at(0)).cpu, MilliCpu(18000 / 11)) << "older ones are gone";
}

TEST(UsageWindow, FrequentMeasurementsShareASlotWithoutLoss) {
  history::UsageWindow window(seconds(100), 10);
  for (int tenth = 1; tenth <= 1000; ++tenth)
    window.add(MonoTime(milliseconds(tenth * 100)), milliseconds(100),
               {MilliCpu(tenth % 2 ? 1000 : 3000), 7_B});
  EXPECT_EQ(window.average(at(0)), (Usage{2000_mcpu, 7_B}));
}

TEST(UsageWindow, LargeNumbersDoNotOverflow) {
  history::UsageWindow window(minutes(5), 300);
  for (int second = 1; second <= 300; ++second)
    window.add(at(second), seconds(1), {MilliCpu(1'000'000'000), Bytes(std::int64_t{1} << 50)});
  EXPECT_EQ(window.average(at(0)), (Usage{MilliCpu(1'000'000'000), Bytes(std::int64_t{1} << 50)}));
}

TEST(UsageWindow, PercentilesAreOfNearestRankTruncated) {
  history::UsageWindow window(seconds(10), 10);
  for (int second = 1; second <= 10; ++second)
    window.add(at(second), seconds(1), {MilliCpu(second * 100), Bytes(11 - second)});
  std::vector<std::int64_t> scratch;
  EXPECT_EQ(window.percentile(at(0), 95, scratch), (Usage{900_mcpu, 9_B}));
  EXPECT_EQ(window.percentile(at(0), 50, scratch), (Usage{500_mcpu, 5_B}));
  EXPECT_EQ(window.percentile(at(0), 1, scratch), (Usage{100_mcpu, 1_B}));
  const auto summary = window.summary(at(0), scratch);
  EXPECT_EQ(summary.average, (Usage{550_mcpu, 5_B}));
  EXPECT_EQ(summary.percentiles[1].cpu, 900_mcpu);
  EXPECT_EQ(summary.span, seconds(9));
}

}  // namespace
}  // namespace evenkeel
