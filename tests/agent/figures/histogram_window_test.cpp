// The quantile of the newest observations of a histogram.
#include "agent/figures/histogram_window.h"

#include <gtest/gtest.h>

#include <limits>

namespace evenkeel::figures {
namespace {

using std::chrono::seconds;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Bucket> counts(double to_1, double to_2, double all) {
  return {{1, to_1}, {2, to_2}, {kInfinity, all}};
}

TEST(Quantile, IsLinearWithinItsBucket) {
  EXPECT_DOUBLE_EQ(*quantile_of(counts(50, 100, 100), 75), 1.5);
  EXPECT_DOUBLE_EQ(*quantile_of(counts(50, 100, 100), 50), 1);
  EXPECT_DOUBLE_EQ(*quantile_of(counts(100, 100, 100), 99), 0.99) << "the first bucket begins at 0";
  EXPECT_DOUBLE_EQ(*quantile_of(counts(0, 50, 100), 99), 2) << "the highest bound: more is not known";
  EXPECT_FALSE(quantile_of(counts(0, 0, 0), 99));
  EXPECT_FALSE(quantile_of({{kInfinity, 5}}, 99));
}

TEST(Quantile, IsOfWhatCameSince) {
  EXPECT_EQ(increase_of(counts(1, 2, 3), counts(2, 4, 6))->back().count, 3);
  EXPECT_EQ(increase_of(counts(10, 20, 30), counts(1, 2, 3)), counts(1, 2, 3)) << "the service was restarted";
  EXPECT_FALSE(increase_of({}, counts(1, 2, 3)));
  EXPECT_FALSE(increase_of({{3, 1}, {4, 2}, {kInfinity, 3}}, counts(1, 2, 3))) << "other bounds";
  EXPECT_EQ((*increase_of(counts(0, 5, 5), counts(3, 7, 8)))[1].count, 3) << "a bucket lags behind";
}

class Window : public testing::Test {
 protected:
  Window() {
    objective.target = 1.5;
    objective.prometheus.quantile_percent = 50;
  }
  ParsedFigure add(std::vector<Bucket> now, int at) {
    return window.add(std::move(now), MonoTime(seconds(at)), objective);
  }
  Objective objective{};
  HistogramWindow window{};
};

TEST_F(Window, NeedsTwoScrapesAndTenObservations) {
  EXPECT_FALSE(add(counts(0, 1000, 1000), 0).value) << "what was before says nothing";
  EXPECT_FALSE(add(counts(4, 1000, 1009), 2).value);
  EXPECT_DOUBLE_EQ(*add(counts(10, 1000, 1010), 4).value, 0.5);
  EXPECT_EQ(window.since(), MonoTime(seconds(0))) << "all that was observed since the first scrape";
  EXPECT_FALSE(add(counts(12, 1000, 1012), 6).value) << "a new window";
  EXPECT_TRUE(add(counts(12, 1000, 1012), 9).value) << "few are better than none when it would become stale";
  EXPECT_EQ(window.since(), MonoTime(seconds(4)));
  const auto silent = add(counts(12, 1000, 1012), 20);
  EXPECT_FALSE(silent.value) << "nothing was observed";
  EXPECT_TRUE(silent.problem.empty());
}

TEST_F(Window, GoesOnAfterARestartOfTheService) {
  add(counts(0, 1000, 1000), 0);
  EXPECT_DOUBLE_EQ(*add(counts(20, 20, 20), 2).value, 0.5);
}

TEST_F(Window, RefusesBoundsThatEndBelowTheTarget) {
  objective.target = 3;
  add(counts(0, 0, 0), 0);
  EXPECT_EQ(add(counts(0, 0, 100), 2).problem,
            "the quantile is above the highest bound, which is below the target");
  EXPECT_TRUE(add(counts(100, 100, 200), 4).value);
}

}  // namespace
}  // namespace evenkeel::figures
