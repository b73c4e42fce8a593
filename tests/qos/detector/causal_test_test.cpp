// The drawn plan, the exact test by hand, and how often it accuses an innocent one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "qos/detector/limit_effect.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/rounds.h"

namespace evenkeel {
namespace {

constexpr detector::DetectorSettings kSettings{};
constexpr const SignalTraits& kCpi = traits_of(Signal::cpi);
using Means = std::vector<std::optional<double>>;

/// What a suspect that makes the victim `times` as slow shows under a plan.
Means shown(const detector::TrialPlan& plan, double times, double sigma = 0, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<> gauss;
  Means out;
  for (std::size_t i = 0; i < plan.slots; ++i)
    out.emplace_back((plan.limited(i) ? 1 : times) * std::exp(sigma * gauss(random)));
  return out;
}

TEST(CausalTest, PlansAreBalancedAndMixed) {
  for (const std::size_t slots : {6U, 8U, 12U, 16U})
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const auto plan = detector::draw_trial_plan(seed, slots);
      ASSERT_EQ(plan.slots, slots);
      EXPECT_EQ(std::popcount(plan.limited_slots) * 2, static_cast<int>(slots));
      for (std::size_t i = 3; i < slots; ++i) {
        int limited = 0;
        for (std::size_t j = i - 3; j <= i; ++j) limited += plan.limited(j) ? 1 : 0;
        EXPECT_NE(limited % 4, 0) << "four alike in a row";
      }
    }
}

TEST(CausalTest, EveryPlanIsAsLikelyAsAnyOther) {
  // Of the 70 ways to choose 4 of 8, those with four in a row: 5 places for the limited, 5 for the others, 2
  // in which both are.
  EXPECT_EQ(detector::trial_plan_count(8), 62U);
  std::map<std::uint32_t, int> drawn;
  constexpr int kDraws = 6200;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed)
    ++drawn[detector::draw_trial_plan(seed, 8).limited_slots];
  EXPECT_EQ(drawn.size(), 62U);
  for (const auto& [plan, count] : drawn) EXPECT_NEAR(count, 100, 45) << plan;
  EXPECT_EQ(detector::draw_trial_plan(7, 8), detector::draw_trial_plan(7, 8));
}

TEST(CausalTest, StrangeNumbersOfSlots) {
  EXPECT_EQ(detector::draw_trial_plan(1, 0).slots, 6U);
  EXPECT_EQ(detector::draw_trial_plan(1, 9).slots, 8U);
  EXPECT_EQ(detector::draw_trial_plan(1, 1000).slots, 16U);
}

TEST(CausalTest, AClearEffectHasTheSmallestChance) {
  const auto plan = detector::draw_trial_plan(1, 8);
  const auto result = detector::conclude(plan, shown(plan, 1.5), kCpi, kSettings);
  EXPECT_EQ(result.outcome, detector::TrialOutcome::guilty);
  EXPECT_NEAR(result.effect, 1.5, 1e-9);
  EXPECT_NEAR(result.chance, 1 / 62.0, 1e-12);
  EXPECT_EQ(result.measured, 8U);
}

TEST(CausalTest, TheChanceByHand) {
  // Six slots, all 20 plans legal. Limited in 0, 2, 4 with 1, 1 and 4; alone 2, 3, 5: logarithms of powers of
  // e, so differences are of plain numbers. Observed (2+3+5)/3 - (1+1+4)/3; plans with a sum of 10 or more in
  // the slots that are left alone: {2 3 5} {1 4 5} twice, {2 4 5}, {3 4 5}, {2 3 5} is the observed one.
  const detector::TrialPlan plan{0b010101, 6};
  const Means means = {std::exp(1), std::exp(2), std::exp(1), std::exp(3), std::exp(4), std::exp(5)};
  const auto result = detector::conclude(plan, means, kCpi, kSettings);
  EXPECT_NEAR(result.effect, std::exp(4 / 3.0), 1e-9);
  EXPECT_NEAR(result.chance, 5 / 20.0, 1e-12);
  EXPECT_EQ(result.outcome, detector::TrialOutcome::unclear);
}

TEST(CausalTest, AnInnocentOneIsInnocent) {
  const auto plan = detector::draw_trial_plan(1, 8);
  EXPECT_EQ(detector::conclude(plan, shown(plan, 1.02), kCpi, kSettings).outcome,
            detector::TrialOutcome::innocent)
      << "too little";
  EXPECT_EQ(detector::conclude(plan, shown(plan, 0.7), kCpi, kSettings).outcome,
            detector::TrialOutcome::innocent);
  EXPECT_EQ(detector::conclude(plan, shown(plan, 1), kCpi, kSettings).chance, 1);
}

TEST(CausalTest, SlotsThatWereNotMeasuredAreLeftOut) {
  const auto plan = detector::draw_trial_plan(1, 8);
  auto means = shown(plan, 1.5);
  means[3].reset();
  const auto result = detector::conclude(plan, means, kCpi, kSettings);
  EXPECT_EQ(result.measured, 7U);
  EXPECT_NEAR(result.effect, 1.5, 1e-9);
  EXPECT_GE(result.chance, 1 / 62.0);
  EXPECT_EQ(result.outcome, detector::TrialOutcome::guilty);
  means[0].reset();
  means[1].reset();
  EXPECT_EQ(detector::conclude(plan, means, kCpi, kSettings).outcome, detector::TrialOutcome::unknown);
  EXPECT_EQ(detector::conclude(plan, {}, kCpi, kSettings).outcome, detector::TrialOutcome::unknown);
}

TEST(CausalTestProperty, AccusesAnInnocentOneAsOftenAsItSays) {
  constexpr unsigned kMany = 2000;
  unsigned accused = 0, small = 0;
  const auto many = test::rounds(kMany);
  for (unsigned seed = 0; seed < many; ++seed) {
    const auto plan = detector::draw_trial_plan(seed, 8);
    const auto result = detector::conclude(plan, shown(plan, 1, 0.1, seed), kCpi, kSettings);
    accused += result.outcome == detector::TrialOutcome::guilty ? 1 : 0;
    small += result.chance <= 0.25 ? 1 : 0;
  }
  EXPECT_LE(accused, 0.05 * many + 2 * std::sqrt(0.05 * many));
  EXPECT_NEAR(small, 0.25 * many, 3.5 * std::sqrt(0.19 * many));
}

TEST(CausalTestProperty, FindsTheGuiltyOne) {
  unsigned found = 0;
  const auto many = test::rounds(500);
  for (unsigned seed = 0; seed < many; ++seed) {
    const auto plan = detector::draw_trial_plan(seed, 8);
    found += detector::conclude(plan, shown(plan, 1.4, 0.1, seed), kCpi, kSettings).outcome ==
                     detector::TrialOutcome::guilty
                 ? 1
                 : 0;
  }
  EXPECT_GT(found, 0.95 * many);
}

TEST(CausalTest, ConcludingAllocatesNothing) {
  const auto plan = detector::draw_trial_plan(1, 16);
  const auto means = shown(plan, 1.5);
  const test::AllocGuard guard;
  EXPECT_EQ(detector::conclude(plan, means, kCpi, kSettings).outcome, detector::TrialOutcome::guilty);
  EXPECT_EQ(guard.allocations(), 0U);
}

}  // namespace
}  // namespace evenkeel
