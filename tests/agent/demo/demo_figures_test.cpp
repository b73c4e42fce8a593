#include <gtest/gtest.h>

#include <algorithm>

#include "agent/demo/load.h"
#include "agent/demo/report.h"
#include "agent/demo/service.h"

namespace evenkeel::demo {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<Duration> milliseconds_up_to(int last) {
  std::vector<Duration> all;
  for (int i = last; i >= 1; --i) all.emplace_back(milliseconds(i));
  return all;
}

TEST(DemoLatency, PercentilesAreMeasuredValues) {
  const auto latency = latency_of(milliseconds_up_to(2000));
  EXPECT_EQ(latency.requests, 2000U);
  EXPECT_EQ(latency.p50, milliseconds(1000));
  EXPECT_EQ(latency.p99, milliseconds(1980));
  EXPECT_EQ(latency.p999, milliseconds(1998));
  EXPECT_EQ(latency.max, milliseconds(2000));
}

TEST(DemoLatency, FewRequestsHaveTheLargestAsTail) {
  const auto latency = latency_of(milliseconds_up_to(3));
  EXPECT_EQ(latency.p50, milliseconds(2));
  EXPECT_EQ(latency.p999, milliseconds(3));
  EXPECT_EQ(latency_of({}).requests, 0U);
}

TEST(DemoHistogram, ThreeColumnsPerDoubling) {
  EXPECT_EQ(column_of(microseconds(1)), 0U);
  EXPECT_EQ(column_of(microseconds(20)), 0U);
  EXPECT_EQ(column_of(microseconds(41)), 3U);
  EXPECT_EQ(column_of(microseconds(81)), 6U);
  EXPECT_EQ(column_of(seconds(3600)), kColumns - 1);
}

TEST(DemoHistogram, NoRequestIsLost) {
  const auto histogram = histogram_of(milliseconds_up_to(500));
  std::uint64_t sum = 0;
  for (const auto count : histogram) sum += count;
  EXPECT_EQ(sum, 500U);
}

Figures round(int p999_ms, double batch, double idle) {
  Figures figures;
  figures.latency = {.requests = 10, .p999 = milliseconds(p999_ms)};
  figures.cpu = {.batch = batch, .idle = idle};
  figures.histogram[1] = 10;
  return figures;
}

TEST(DemoMedian, OneDisturbedRoundDoesNotChangeTheMedian) {
  const auto median = median_of({round(4, 1.2, 0), round(90, 0.1, 1.1), round(5, 1.1, 0.1)});
  EXPECT_EQ(median.latency.p999, milliseconds(5));
  EXPECT_DOUBLE_EQ(median.cpu.batch, 1.1);
  EXPECT_EQ(median.latency.requests, 30U);
  EXPECT_EQ(median.histogram[1], 30U);
}

TEST(DemoMedian, OfAnEvenNumberItIsTheLowerMiddle) {
  EXPECT_EQ(median_of({round(8, 0, 0), round(6, 0, 0)}).latency.p999, milliseconds(6));
  EXPECT_EQ(median_of({}).latency.requests, 0U);
}

TEST(DemoRatios, AreAbsentForZero) {
  EXPECT_FALSE(ratio(milliseconds(1), Duration::zero()));
  EXPECT_DOUBLE_EQ(*ratio(milliseconds(5), milliseconds(4)), 1.25);
  EXPECT_FALSE(kept_ratio({.service = 2}));
  EXPECT_DOUBLE_EQ(*kept_ratio({.service = 0.8, .batch = 0.9, .others = 0.2, .idle = 0.1}), 0.9);
}

TEST(DemoRounds, CountIfTheGeneratorWasOnTimeAndTheHypervisorTookLittle) {
  EXPECT_TRUE(counts({.cpu = {.stolen = 0.03}, .late_p99 = microseconds(99)}, 2));
  EXPECT_FALSE(counts({.cpu = {.stolen = 0.04}}, 2));
  EXPECT_FALSE(counts({.late_p99 = microseconds(100)}, 2));
}

TEST(DemoRounds, SpreadIsTheLargestOverTheSmallest) {
  EXPECT_FALSE(spread({}));
  EXPECT_FALSE(spread({milliseconds(1)}));
  EXPECT_DOUBLE_EQ(*spread({milliseconds(3), milliseconds(2), milliseconds(4)}), 2);
}

TEST(DemoCpu, EachNanosecondIsCountedOnce) {
  const CpuReading from{.at = seconds(10), .machine = {.used = CpuTime(5'000'000'000)}};
  const CpuReading to{.at = seconds(12),
                      .machine = {.used = CpuTime(8'000'000'000), .stolen = CpuTime(200'000'000)},
                      .service = CpuTime(1'600'000'000),
                      .batch = CpuTime(1'000'000'000)};
  const auto cpu = cpu_between(from, to, 2);
  EXPECT_DOUBLE_EQ(cpu.service, 0.8);
  EXPECT_DOUBLE_EQ(cpu.batch, 0.5);
  EXPECT_NEAR(cpu.others, 0.2, 1e-9);
  EXPECT_NEAR(cpu.stolen, 0.1, 1e-9);
  EXPECT_NEAR(cpu.idle, 0.4, 1e-9);
}

TEST(DemoCpu, TheCoarseMachineCounterMayLagBehind) {
  const CpuReading to{.at = seconds(1), .service = CpuTime(900'000'000)};
  const auto cpu = cpu_between({}, to, 1);
  EXPECT_DOUBLE_EQ(cpu.others, 0);
  EXPECT_NEAR(cpu.idle, 0.1, 1e-9);
  EXPECT_DOUBLE_EQ(cpu_between(to, to, 1).service, 0);
}

TEST(DemoLoad, HasTheSameArrivalTimesInEveryPhase) {
  const auto first = arrivals(400, seconds(20), 1);
  EXPECT_EQ(first, arrivals(400, seconds(20), 1));
  EXPECT_NE(first, arrivals(400, seconds(20), 2));
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_LT(first.back(), seconds(20));
}

TEST(DemoLoad, IsPoissonAtTheGivenRate) {
  const auto moments = arrivals(400, seconds(100), 7);
  EXPECT_NEAR(static_cast<double>(moments.size()), 40000, 1000);
  // A share 1 - 1/e of exponential gaps is shorter than their mean; of evenly spaced gaps none is.
  std::size_t shorter = 0;
  for (std::size_t i = 1; i < moments.size(); ++i)
    if (moments[i] - moments[i - 1] < microseconds(2500)) ++shorter;
  EXPECT_NEAR(static_cast<double>(shorter) / static_cast<double>(moments.size()), 0.632, 0.02);
}

}  // namespace
}  // namespace evenkeel::demo
