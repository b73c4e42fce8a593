// What counts as a cure, what does not, and for how long a useless limit clears a suspect.
#include <gtest/gtest.h>

#include <cmath>

#include "qos/detector/limit_effect.h"

namespace evenkeel {
namespace {

using std::chrono::minutes;

constexpr detector::DetectorSettings kSettings{};
constexpr MonoTime kStart{std::chrono::hours(100)};

detector::NormalModel known() {
  detector::NormalModel model(Signal::cpi);
  model.load(detector::normal_from_mean(1, 0.1, 1e6, kStart, traits_of(Signal::cpi)));
  return model;
}

detector::ReliefOutcomeResult after(double before, std::initializer_list<double> samples,
                                    Duration passed = minutes(2)) {
  detector::ReliefWatch watch;
  watch.begin(before, kStart);
  auto now = kStart;
  for (const double value : samples) watch.add(value, now += minutes(1));
  return watch.judge(known(), kStart + passed, kSettings);
}

TEST(AfterCap, TheVictimIsWellAgain) {
  const auto result = after(2, {1.05, 0.95});
  EXPECT_EQ(result.outcome, detector::ReliefOutcome::relieved);
  EXPECT_NEAR(result.times_before, 2, 1e-9);
  EXPECT_NEAR(result.times_after, std::sqrt(1.05 * 0.95), 1e-9);
  EXPECT_NEAR(result.relief, 1, 0.01);
}

TEST(AfterCap, HalfOfItGoneIsACure) {
  EXPECT_EQ(after(4, {1.9, 1.9}).outcome, detector::ReliefOutcome::relieved);
  EXPECT_EQ(after(4, {2.1, 2.1}).outcome, detector::ReliefOutcome::not_relieved);
  EXPECT_NEAR(after(4, {2, 2}).relief, 0.5, 1e-9);
}

TEST(AfterCap, NoBetterOrWorse) {
  EXPECT_EQ(after(2, {2, 2}).outcome, detector::ReliefOutcome::not_relieved);
  EXPECT_NEAR(after(2, {2, 2}).relief, 0, 1e-9);
  EXPECT_LT(after(2, {3, 3}).relief, 0);
}

TEST(AfterCap, OneSampleDecidesNothing) {
  EXPECT_EQ(after(2, {1}, minutes(1)).outcome, detector::ReliefOutcome::waiting);
  EXPECT_EQ(after(2, {1, 2.4}).outcome, detector::ReliefOutcome::not_relieved)
      << "both together are hardly better";
}

TEST(AfterCap, SamplesThatDoNotCome) {
  EXPECT_EQ(after(2, {}, minutes(4)).outcome, detector::ReliefOutcome::waiting);
  EXPECT_EQ(after(2, {}, minutes(5)).outcome, detector::ReliefOutcome::unknown);
  EXPECT_EQ(after(2, {1}, minutes(5)).outcome, detector::ReliefOutcome::unknown);
}

TEST(AfterCap, AVictimThatWasWellCannotBeCured) {
  EXPECT_EQ(after(0.9, {0.9, 0.9}).outcome, detector::ReliefOutcome::unknown);
  detector::ReliefWatch watch;
  watch.begin(2, kStart);
  for (int i = 1; i <= 2; ++i) watch.add(1, kStart + minutes(i));
  EXPECT_EQ(watch.judge(detector::NormalModel(Signal::cpi), kStart + minutes(2), kSettings).outcome,
            detector::ReliefOutcome::unknown);
}

TEST(AfterCap, ASampleOfBeforeTheLimitDoesNotCount) {
  detector::ReliefWatch watch;
  watch.begin(2, kStart);
  watch.add(1, kStart);
  watch.add(1, kStart - minutes(1));
  EXPECT_EQ(watch.judge(known(), kStart + minutes(1), kSettings).outcome, detector::ReliefOutcome::waiting);
}

TEST(ClearedSuspects, ForAWhileAndForThatVictim) {
  detector::ClearedSuspects cleared;
  const CgroupId web{1}, db{2}, job{3};
  cleared.clear(web, job, kStart + kSettings.cool_down);
  EXPECT_TRUE(cleared.cleared(web, job, kStart));
  EXPECT_FALSE(cleared.cleared(db, job, kStart));
  EXPECT_FALSE(cleared.cleared(web, db, kStart));
  EXPECT_FALSE(cleared.cleared(web, job, kStart + kSettings.cool_down));
}

TEST(ClearedSuspects, TheOldestMakesRoom) {
  detector::ClearedSuspects cleared;
  for (std::uint32_t i = 0; i < 65; ++i)
    cleared.clear({1}, {i + 1}, kStart + minutes(static_cast<int>(i) + 1));
  EXPECT_FALSE(cleared.cleared({1}, {1}, kStart));
  EXPECT_TRUE(cleared.cleared({1}, {2}, kStart));
  EXPECT_TRUE(cleared.cleared({1}, {65}, kStart));
  cleared.clear({1}, {2}, kStart + minutes(100));
  EXPECT_TRUE(cleared.cleared({1}, {2}, kStart + minutes(99))) << "cleared again: longer";
  EXPECT_TRUE(cleared.cleared({1}, {3}, kStart)) << "and no pod was evicted for it";
}

}  // namespace
}  // namespace evenkeel
