// What a victim's and a suspect's windows say about the two, and that an innocent one's chance is what it
// says; before that CPI²'s formula by hand and its published weakness, with which the evidence is compared.
#include "qos/detector/suspect_evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/alloc_guard.h"
#include "tests/support/fakes/known_model.h"
#include "tests/support/rounds.h"
#include "tests/support/scenes/cpi2.h"

namespace evenkeel {
namespace {

constexpr detector::DetectorSettings kSettings{};
using test::known_model;
constexpr std::int64_t kNow = 1000;

/// The last value is of window kNow.
detector::WindowSeries series(const std::vector<double>& values) {
  detector::WindowSeries out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.put(kNow - static_cast<std::int64_t>(values.size() - 1 - i), values[i]);
  return out;
}

/// `count` windows, the last `active` of which have another value.
detector::WindowSeries step(std::size_t count, std::size_t active, double quiet, double busy) {
  std::vector<double> values(count, quiet);
  std::fill(values.end() - static_cast<long>(active), values.end(), busy);
  return series(values);
}

// --- windows -----------------------------------------------------------------------------------------------

TEST(WindowSeries, KeepsTheLastOnes) {
  detector::WindowSeries windows;
  EXPECT_EQ(windows.at(0), std::nullopt);
  windows.put(5, 1.5);
  windows.put(7, 2.5);
  EXPECT_EQ(windows.at(5), 1.5);
  EXPECT_EQ(windows.at(6), std::nullopt) << "unknown is not zero";
  windows.put(6, 9);
  EXPECT_EQ(windows.at(6), 9);
  windows.put(5 + static_cast<std::int64_t>(detector::kWindows), 3);
  EXPECT_EQ(windows.at(5), std::nullopt);
  EXPECT_EQ(windows.at(7), 2.5);
  windows.put(5, 1);
  EXPECT_EQ(windows.at(5), std::nullopt) << "too late";
  windows.put(1'000'000, 4);
  EXPECT_EQ(windows.at(7), std::nullopt);
  EXPECT_EQ(windows.newest(), 1'000'000);
}

TEST(WindowSeries, SharesOfOneWindowAddUp) {
  detector::WindowSeries windows;
  windows.add(3, 1);
  windows.add(3, 2);
  EXPECT_EQ(windows.at(3), 3);
}

// --- CPI² --------------------------------------------------------------------------------------------------

TEST(Cpi2, TheFormulaByHand) {
  // Threshold 2, activity 1 1 2 in shares 1/4 1/4 1/2: 1/4 (1 - 2/4) + 1/4 (1/2 - 1)
  // + 1/2 (1 - 2/2.5).
  using Values = std::vector<double>;
  const Values victim = {4, 1, 2.5};
  EXPECT_NEAR(test::cpi2_formula(victim, Values{1, 1, 2}, 2), 0.125 - 0.125 + 0.1, 1e-6);
  EXPECT_EQ(test::cpi2_formula(victim, Values{0, 0, 0}, 2), 0) << "who does nothing is not guilty";
  EXPECT_NEAR(test::cpi2_formula(victim, Values{0, 3, 0}, 2), -0.5, 1e-6);
}

TEST(Cpi2, NeedsLargeInflation) {
  // Of a suspect that is always active the correlation is 1 - threshold / value: for a limit L and a victim
  // with the coefficient of variation cv the victim must be (1 + 2 cv) / (1 - L) times as slow.
  struct Row {
    double limit, cv, times;
  };
  for (const auto& [limit, cv, times] : {Row{0.15, 0.03, 1.25},
                                         {0.15, 0.10, 1.41},
                                         {0.15, 0.30, 1.88},
                                         {0.25, 0.05, 1.47},
                                         {0.25, 0.15, 1.73},
                                         {0.25, 0.20, 1.87},
                                         {0.35, 0.03, 1.63},
                                         {0.35, 0.10, 1.85},
                                         {0.35, 0.30, 2.46}}) {
    const double threshold = 1 + 2 * cv;
    const auto score = [&](double value) {
      return test::cpi2_formula(std::vector<double>(10, value), std::vector<double>(10, 1), threshold);
    };
    EXPECT_LT(score(times - 0.01), limit) << limit << ' ' << cv;
    EXPECT_GT(score(times + 0.01), limit) << limit << ' ' << cv;
  }
}

// --- evidence ----------------------------------------------------------------------------------------------

TEST(Evidence, AStepTogether) {
  const auto found =
      detector::weigh(step(30, 10, 1, 1.5), step(30, 10, 0, 2), known_model(1, 0.1), kNow, kSettings);
  EXPECT_EQ(found.windows, 30U);
  EXPECT_NEAR(found.contrast, 1.5, 1e-5);
  EXPECT_NEAR(found.rank_correlation, 1, 1e-9);
  EXPECT_NEAR(found.effect, 1.5, 1e-5);
  EXPECT_EQ(found.turns, 1U);
  EXPECT_EQ(found.activity, 2);
  EXPECT_TRUE(found.busier);
  // Slope 0.203 per CPU, square sum of the activity 30 * 2 * 4/9, spread 0.0953.
  EXPECT_NEAR(found.t, std::log(1.5) / 2 * std::sqrt(80 / 3.0) / (std::log(1.1) * (1 + 1e-3)), 0.02);
  EXPECT_LT(found.chance, 1e-7);
}

TEST(Evidence, FromTenWindowsAsFromThirtyIfTheyAreThere) {
  EXPECT_GT(detector::weigh(step(10, 4, 1, 1.5), step(10, 4, 0, 2), known_model(1, 0.1), kNow, kSettings).t,
            3);
  const auto few =
      detector::weigh(step(7, 3, 1, 1.5), step(7, 3, 0, 2), known_model(1, 0.1), kNow, kSettings);
  EXPECT_EQ(few.windows, 7U);
  EXPECT_EQ(few.chance, 1) << "too few to say";
}

TEST(Evidence, AVictimSlowAllTheTimeAccusesNoPod) {
  // Whom CPI² would accuse: active, while the victim is twice as slow from beginning to end.
  std::mt19937 random(2);
  std::vector<double> victim(30), suspect(30);
  for (auto& each : victim) each = 2 * std::exp(0.1 * std::normal_distribution<>()(random));
  for (std::size_t i = 0; i < 30; ++i) suspect[i] = i % 3 == 0 ? 2 : 1;
  const auto found = detector::weigh(series(victim), series(suspect), known_model(1, 0.1), kNow, kSettings);
  EXPECT_GT(test::cpi2_formula(victim, suspect, 1.2), test::kCpi2Limit) << "plain CPI² accuses it";
  EXPECT_NEAR(found.contrast, 1, 0.1);
  EXPECT_GT(found.chance, 0.05);
}

TEST(Evidence, WhoNeverChangesCannotBeTold) {
  const auto found =
      detector::weigh(step(30, 10, 1, 1.5), step(30, 30, 0, 2), known_model(1, 0.1), kNow, kSettings);
  EXPECT_EQ(found.t, 0);
  EXPECT_EQ(found.chance, 1);
  EXPECT_EQ(found.contrast, 1);
  EXPECT_EQ(found.turns, 0U);
}

TEST(Evidence, WhoSlowsDownWhenItStopsIsNotGuilty) {
  const auto found =
      detector::weigh(step(30, 10, 1, 1.5), step(30, 10, 2, 0), known_model(1, 0.1), kNow, kSettings);
  EXPECT_LT(found.t, 0);
  EXPECT_LT(found.contrast, 1);
  EXPECT_LT(found.rank_correlation, 0);
  EXPECT_FALSE(found.busier);
}

TEST(Evidence, WindowsThatWereNotMeasuredAreLeftOut) {
  auto victim = step(30, 10, 1, 1.5);
  auto suspect = step(24, 10, 0, 2);  // known for 24 windows
  const auto found = detector::weigh(victim, suspect, known_model(1, 0.1), kNow, kSettings);
  EXPECT_EQ(found.windows, 24U);
  EXPECT_NEAR(found.effect, 1.5, 1e-5);
}

/// Share of innocent suspects, bursty ones, whose chance is `level` or less.
double accused_by_chance(double alike, double level, unsigned count) {
  std::mt19937 random(3);
  std::normal_distribution<> gauss;
  const auto model = known_model(1, 0.1, alike);
  const double spread = model.normal()->spread;
  unsigned accused = 0;
  for (unsigned i = 0; i < count; ++i) {
    std::vector<double> victim(30), suspect(30);
    double state = gauss(random);
    bool on = false;
    for (std::size_t w = 0; w < 30; ++w) {
      state = alike * state + std::sqrt(1 - alike * alike) * gauss(random);
      victim[w] = std::exp(spread * state);
      if (random() % 8 == 0) on = !on;
      suspect[w] = on ? std::exp(0.2 * gauss(random)) : 0.02;
    }
    accused +=
        detector::weigh(series(victim), series(suspect), model, kNow, kSettings).chance <= level ? 1 : 0;
  }
  return accused / static_cast<double>(count);
}

TEST(EvidenceProperty, TheChanceIsWhatInnocentOnesShow) {
  const auto count = test::rounds(5'000);
  for (const double alike : {0.0, 0.5, 0.9})
    for (const double level : {0.1, 0.01})
      EXPECT_LT(accused_by_chance(alike, level, count), level * 1.3 + 2 * std::sqrt(level / count)) << alike;
}

TEST(Evidence, WeighingAllocatesNothing) {
  const auto victim = step(30, 10, 1, 1.5), suspect = step(30, 10, 0, 2);
  const auto model = known_model(1, 0.1);
  const test::AllocGuard guard;
  EXPECT_GT(detector::weigh(victim, suspect, model, kNow, kSettings).t, 3);
  EXPECT_EQ(guard.allocations(), 0U);
}

}  // namespace
}  // namespace evenkeel
