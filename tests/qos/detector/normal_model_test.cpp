// What is taken for normal: median and spread against what is known of random samples, what may not move
// them, what has to, and what goes into a checkpoint.
#include "qos/detector/normal_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/alloc_guard.h"
#include "tests/support/rounds.h"

namespace evenkeel {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr detector::DetectorSettings kSettings{};
constexpr MonoTime kStart{hours(100)};

/// Feeds a model one sample a minute.
struct Pupil {
  detector::NormalModel model{Signal::cpi};
  MonoTime now = kStart;
  void learn(double value) {
    now += minutes(1);
    model.learn(value, now, kSettings);
  }
  template <class Next>
  void learn(int samples, Next&& next) {
    for (int i = 0; i < samples; ++i) learn(next());
  }
};

auto log_normal(std::mt19937& random, double median, double sigma) {
  return [&random, median, sigma] { return median * std::exp(sigma * std::normal_distribution<>()(random)); };
}

TEST(NormalModel, NothingIsKnownOfFewSamples) {
  Pupil pupil;
  pupil.learn(29, [] { return 1.5; });
  EXPECT_FALSE(pupil.model.trusted(kSettings));
  EXPECT_EQ(pupil.model.normal(), std::nullopt);
  EXPECT_EQ(pupil.model.usual(), 0);
  pupil.learn(1.5);
  EXPECT_TRUE(pupil.model.trusted(kSettings));
  EXPECT_NEAR(pupil.model.usual(), 1.5, 1e-5);
}

TEST(NormalModel, TheFirstSamplesAreTakenByMedian) {
  // 1.0, 1.1, ... 3.9 has the median 2.45; half of the logarithms lie within 0.281 of its logarithm.
  Pupil pupil;
  int i = 0;
  pupil.learn(30, [&] { return 1 + 0.1 * i++; });
  EXPECT_NEAR(pupil.model.usual(), std::sqrt(2.4 * 2.5), 1e-3);
  std::vector<double> distances;
  for (i = 0; i < 30; ++i) distances.push_back(std::abs(std::log((1 + 0.1 * i) / std::sqrt(2.4 * 2.5))));
  std::sort(distances.begin(), distances.end());
  EXPECT_NEAR(pupil.model.normal()->spread, (distances[14] + distances[15]) / 2 / 0.6745, 1e-3);
}

TEST(NormalModelProperty, FindsMedianAndSpreadOfRandomSamples) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < test::rounds(30); ++round) {
    const double median = std::exp(std::uniform_real_distribution<>(-2, 3)(random));
    const double sigma = std::uniform_real_distribution<>(0.03, 0.6)(random);
    Pupil pupil;
    pupil.learn(2000, log_normal(random, median, sigma));
    const auto normal = *pupil.model.normal();
    EXPECT_NEAR(normal.level, std::log(median), 0.15 * sigma) << round;
    EXPECT_NEAR(normal.spread, sigma, 0.15 * sigma) << round;
    EXPECT_LT(normal.autocorrelation, 0.15) << round;
    EXPECT_GT(normal.weight, 1000) << round;
  }
}

TEST(NormalModelProperty, AFifthOfBadSamplesHardlyMovesIt) {
  std::mt19937 random(2);
  for (unsigned round = 0; round < test::rounds(10); ++round) {
    Pupil pupil;
    auto good = log_normal(random, 1, 0.1);
    pupil.learn(2000, [&] { return random() % 5 == 0 ? 4 * good() : good(); });
    // A mean would lie at 1.6, its deviation at 1.2.
    EXPECT_NEAR(pupil.model.usual(), 1, 0.06) << round;
    EXPECT_LT(pupil.model.threshold(kSettings), 1.45) << round;
  }
}

TEST(NormalModelProperty, LearnsHowMuchNeighboursAreAlike) {
  std::mt19937 random(3);
  std::normal_distribution<> gauss;
  for (const double alike : {0.0, 0.5, 0.9}) {
    Pupil pupil;
    double state = 0;
    pupil.learn(3000, [&] {
      state = alike * state + std::sqrt(1 - alike * alike) * gauss(random);
      return std::exp(0.1 * state);
    });
    EXPECT_NEAR(pupil.model.normal()->autocorrelation, alike, 0.12) << alike;
    const double worth = (1 - alike) / (1 + alike);
    EXPECT_NEAR(pupil.model.independent() / pupil.model.normal()->weight, worth, 0.25 * worth + 0.05);
  }
}

TEST(NormalModel, SamplesThatAreAlikeTakeLongerToBeTrusted) {
  std::mt19937 random(4);
  Pupil pupil;
  double state = 0;
  pupil.learn(40, [&] {
    state = 0.95 * state + 0.31 * std::normal_distribution<>()(random);
    return std::exp(0.1 * state);
  });
  EXPECT_TRUE(pupil.model.normal());
  EXPECT_FALSE(pupil.model.trusted(kSettings)) << pupil.model.independent();
}

TEST(NormalModel, TheSpreadHasAFloor) {
  Pupil pupil;
  pupil.learn(1000, [] { return 2.0; });
  EXPECT_NEAR(pupil.model.spread(kSettings), 0.03, 1e-9);
  // Two spreads would be 6 %: what is less than a tenth is of no interest.
  EXPECT_NEAR(pupil.model.threshold(kSettings), 2.2, 1e-3);
}

TEST(NormalModel, ASignalNearZeroHasAnAbsoluteFloor) {
  detector::NormalModel model(Signal::run_queue_wait);
  auto now = kStart;
  for (int i = 0; i < 100; ++i) model.learn(0.001, now += std::chrono::seconds(10), kSettings);
  EXPECT_NEAR(model.usual(), 0.001, 1e-6);
  EXPECT_NEAR(model.threshold(kSettings), 0.011, 1e-4) << "ten milliseconds per second more than usual";
  EXPECT_NEAR(model.times_usual(0.021), 0.031 / 0.011, 1e-3);
}

TEST(NormalModel, WhatIsOldCountsLess) {
  std::mt19937 random(5);
  Pupil pupil;
  pupil.learn(1440, log_normal(random, 1, 0.1));
  const double before = pupil.model.normal()->weight;
  EXPECT_NEAR(before, 30 * 0.5 + 1440 / 2 / std::log(2), 60)
      << "half of a day's samples lie within the last half life";
  pupil.now += hours(48);
  pupil.learn(1.0);
  EXPECT_NEAR(pupil.model.normal()->weight, before / 4 + 1, 1);
}

// --- change ------------------------------------------------------------------------------------------------

TEST(NormalModel, ALevelThatStaysIsTheNewNormal) {
  std::mt19937 random(6);
  for (const double times : {1.8, 0.5}) {
    Pupil pupil;
    pupil.learn(1440, log_normal(random, 1, 0.1));
    auto shifted = log_normal(random, times, 0.1);
    pupil.learn(60, shifted);
    EXPECT_NEAR(pupil.model.usual(), 1, 0.1) << "an hour is not yet long";
    pupil.learn(40, shifted);
    EXPECT_NEAR(pupil.model.usual(), times, 0.1 * times);
    EXPECT_TRUE(pupil.model.trusted(kSettings)) << "it begins with the samples that it has";
  }
}

TEST(NormalModel, AnEpisodeIsNoNewNormal) {
  std::mt19937 random(7);
  Pupil pupil;
  for (int day = 0; day < 2; ++day)
    for (int hour = 0; hour < 24; ++hour) {
      pupil.learn(30, log_normal(random, 2, 0.1));
      pupil.learn(90, log_normal(random, 1, 0.1));
    }
  EXPECT_NEAR(pupil.model.usual(), 1, 0.1);
}

TEST(NormalModel, ANewImageBeginsAnew) {
  std::mt19937 random(8);
  Pupil pupil;
  pupil.learn(500, log_normal(random, 1, 0.1));
  pupil.model.relearn();
  EXPECT_FALSE(pupil.model.trusted(kSettings));
  pupil.learn(30, log_normal(random, 3, 0.1));
  EXPECT_NEAR(pupil.model.usual(), 3, 0.3);
}

// --- coming and going
// ---------------------------------------------------------------------------------------

TEST(NormalModel, ACheckpointIsAllThereIs) {
  std::mt19937 random(9);
  Pupil pupil;
  pupil.learn(300, log_normal(random, 1.5, 0.2));
  detector::NormalModel back(Signal::cpi);
  back.load(*pupil.model.normal());
  EXPECT_EQ(back.normal(), pupil.model.normal());
  EXPECT_EQ(back.threshold(kSettings), pupil.model.threshold(kSettings));
  EXPECT_TRUE(back.trusted(kSettings));
}

TEST(NormalModel, AFileSaysMeanAndDeviation) {
  detector::NormalModel model(Signal::cpi);
  model.load(detector::normal_from_mean(2, 0.4, 400, kStart, traits_of(Signal::cpi)));
  EXPECT_NEAR(model.usual(), 2, 1e-9);
  EXPECT_TRUE(model.trusted(kSettings));
  // log(1.2) is 0.182; a twentieth is added for what 400 samples leave open.
  EXPECT_NEAR(model.threshold(kSettings), 2 * std::exp(2 * 0.1823 * 1.05), 0.001);
}

TEST(NormalModel, ADeviationComesBackAsItWasGiven) {
  for (const Signal signal : {Signal::cpi, Signal::run_queue_wait}) {
    const auto normal = detector::normal_from_mean(0.5, 0.125, 400, kStart, traits_of(signal));
    EXPECT_NEAR(detector::deviation_of(normal, traits_of(signal)), 0.125, 1e-9);
  }
}

TEST(NormalModel, WhatWasKeptFadesFromThenOn) {
  const detector::Normal kept{.level = 1, .spread = 0.1, .weight = 100, .as_of = kStart};
  EXPECT_NEAR(detector::faded(kept, kStart + hours(48), hours(24)).weight, 25, 1e-9);
  EXPECT_EQ(detector::faded(kept, kStart + hours(48), hours(24)).as_of, kStart + hours(48));
  EXPECT_EQ(detector::faded(kept, kStart - hours(48), hours(24)), kept)
      << "time that goes back takes nothing away";
}

TEST(NormalModel, HowAlikeNeighboursAreIsLearnedSoonWhereAFileCannotSay) {
  std::mt19937 random(5);
  detector::NormalModel model(Signal::cpi);
  ASSERT_TRUE(model.load_without_autocorrelation(
      detector::normal_from_mean(1, 0.1, 5000, kStart, traits_of(Signal::cpi))));
  double drift = 0;
  for (int i = 1; i <= 300; ++i) {
    drift = 0.9 * drift + std::sqrt(1 - 0.81) * std::normal_distribution<>()(random);
    model.learn(1 + 0.1 * drift, kStart + minutes(i), kSettings);
  }
  EXPECT_GT(model.normal()->autocorrelation, 0.7);
}

/// A model of another run, and 30 first samples of this one.
double usual_after_restart(bool doubted, double first_samples) {
  std::mt19937 random(6);
  detector::NormalModel model(Signal::cpi);
  model.load(detector::normal_from_mean(1, 0.1, 5000, kStart, traits_of(Signal::cpi)));
  if (doubted) model.doubt();
  for (int i = 1; i <= 30; ++i)
    model.learn(first_samples * (1 + 0.05 * std::normal_distribution<>()(random)), kStart + minutes(i),
                kSettings);
  return model.usual();
}

TEST(NormalModel, ARestartThatBeginsElsewhereIsAChange) {
  EXPECT_NEAR(usual_after_restart(true, 1.8), 1.8, 0.1);
  EXPECT_NEAR(usual_after_restart(true, 1.05), 1.0, 0.02) << "as it was";
  EXPECT_NEAR(usual_after_restart(false, 1.8), 1.0, 0.1) << "it went on: an hour decides";
}

TEST(NormalModel, WhatNoModelCanBeIsNotLoaded) {
  Pupil pupil;
  pupil.learn(40, [] { return 1.0; });
  const auto before = pupil.model.normal();
  const detector::Normal good = *before;
  for (auto bad : {&detector::Normal::level, &detector::Normal::spread, &detector::Normal::weight,
                   &detector::Normal::autocorrelation}) {
    auto normal = good;
    normal.*bad = std::nan("");
    EXPECT_FALSE(pupil.model.load(normal));
  }
  EXPECT_FALSE(pupil.model.load({}));
  EXPECT_EQ(pupil.model.normal(), before);
  EXPECT_TRUE(pupil.model.load(good));
}

TEST(NormalModel, TimeThatStandsOrGoesBackTeachesNothing) {
  Pupil pupil;
  pupil.learn(40, [] { return 1.0; });
  const auto before = pupil.model.normal();
  pupil.model.learn(9, pupil.now, kSettings);
  pupil.model.learn(9, pupil.now - hours(1), kSettings);
  EXPECT_EQ(pupil.model.normal(), before);
}

TEST(NormalModel, StrangeSamplesDoNotBreakIt) {
  Pupil pupil;
  pupil.learn(100, [] { return 1.0; });
  for (const double value : {0.0, -1.0, 1e300, std::nan(""), 1 / 0.0, 0.0}) pupil.learn(value);
  EXPECT_NEAR(pupil.model.usual(), 1, 0.1);
  EXPECT_TRUE(std::isfinite(pupil.model.threshold(kSettings)));
}

TEST(NormalModel, LearningAllocatesNothing) {
  Pupil pupil;
  const test::AllocGuard guard;
  for (int i = 0; i < 300; ++i) pupil.learn(i < 100 ? 1 : 3);
  EXPECT_EQ(guard.allocations(), 0U);
}

}  // namespace
}  // namespace evenkeel
