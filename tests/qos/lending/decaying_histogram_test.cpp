// The histogram behind the peak predictor: Koordinator's worked values, the arithmetic of half lives, and
// random histories against a history that is kept whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "qos/lending/peak_predictor.h"

namespace evenkeel {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using Cpu = lending::DecayingHistogram<lending::kCpuScale>;
using Memory = lending::DecayingHistogram<lending::kMemoryScale>;

constexpr Duration kHalfLife = hours(12);
constexpr MonoTime kStart{hours(1000)};

template <class Histogram>
double only(double value) {
  Histogram histogram;
  histogram.add(value, kStart, kHalfLife);
  const auto least = histogram.percentile(0.01);
  EXPECT_EQ(least, histogram.percentile(1)) << "one value: every percentile is the same";
  return least.value_or(-1);
}

TEST(DecayingHistogram, TheScalesReachAsFarAsTheyShould) {
  const auto buckets = [](const lending::HistogramScale& scale, double most) {
    return std::ceil(std::log(most * 0.05 / scale.first_bucket + 1) / std::log(1.05)) + 1;
  };
  EXPECT_EQ(buckets(lending::kCpuScale, 1024), lending::kCpuScale.buckets);
  EXPECT_EQ(buckets(lending::kMemoryScale, std::exp2(41)), lending::kMemoryScale.buckets);
  EXPECT_NEAR(lending::kCpuScale.start(157), 1060.44, 0.01);
}

TEST(DecayingHistogram, OneValueIsPredictedByTheEndOfItsBucket) {
  EXPECT_NEAR(only<Cpu>(0), 0.025, 1e-9);
  EXPECT_NEAR(only<Cpu>(0.1), 0.10775, 1e-5);
  EXPECT_NEAR(only<Cpu>(0.5), 0.53946, 1e-5);
  EXPECT_NEAR(only<Cpu>(1), 1.03576, 1e-5);
  EXPECT_NEAR(only<Cpu>(2), 2.00159, 1e-5);
  EXPECT_NEAR(only<Cpu>(4), 4.21713, 1e-5);
  EXPECT_NEAR(only<Cpu>(8), 8.39485, 1e-5);
  EXPECT_NEAR(only<Cpu>(16), 16.27257, 1e-5);
  EXPECT_EQ(std::floor(only<Memory>(0)), 5 << 20);
  EXPECT_EQ(std::floor(only<Memory>(256.0 * (1 << 20))), 286'623'669);
  EXPECT_EQ(std::floor(only<Memory>(1024.0 * (1 << 20))), 1'097'586'419);
  EXPECT_EQ(std::floor(only<Memory>(4096.0 * (1 << 20))), 4'384'414'627);
}

TEST(DecayingHistogram, ValuesBeyondTheScaleAreInItsLastBucket) {
  EXPECT_NEAR(only<Cpu>(5000), 1060.44, 0.01);
  EXPECT_NEAR(only<Cpu>(1.8e19), 1060.44, 0.01);
  EXPECT_NEAR(only<Cpu>(-1), 0.025, 1e-9);
  EXPECT_NEAR(only<Cpu>(std::nan("")), 0.025, 1e-9);
}

TEST(DecayingHistogram, WithoutMeasurementsNothingIsPredicted) {
  EXPECT_EQ(Cpu().percentile(0.5), std::nullopt);
  EXPECT_TRUE(Cpu().empty());
}

TEST(DecayingHistogram, AWeightHalvesInAHalfLife) {
  for (const auto& [age, weight] : {std::pair(hours(12), 0.5), {hours(24), 0.25}, {hours(36), 0.125}}) {
    Cpu histogram;
    histogram.add(1, kStart, kHalfLife);
    histogram.add(8, kStart + age, kHalfLife);
    EXPECT_NEAR(histogram.total(), 1 + weight, 1e-6);
    EXPECT_NEAR(histogram.weights()[lending::kCpuScale.bucket(1)], weight, 1e-6);
  }
}

TEST(DecayingHistogram, OneMeasurementAMinuteComesToRest) {
  Cpu histogram;
  for (int minute = 0; minute < 14 * 24 * 60; ++minute) histogram.add(1, kStart + minutes(minute), kHalfLife);
  EXPECT_NEAR(histogram.total(), 720 / std::log(2), 1) << "measurements' worth of weight";
  // A new level is the 95th percentile once it has a twentieth of the weight: 720 * log2(1 / 0.95) minutes.
  int until = 0;
  while (*histogram.percentile(0.95) < 2)
    histogram.add(2, kStart + hours(14 * 24) + minutes(until++), kHalfLife);
  EXPECT_NEAR(until, 53, 2);
}

TEST(DecayingHistogram, ASingleMeasurementIsForgottenAfterThirteenHalfLives) {
  Cpu histogram;
  histogram.add(8, kStart, kHalfLife);
  histogram.add(1, kStart + 13 * kHalfLife, kHalfLife);
  EXPECT_GT(histogram.percentile(1), 8.0);
  histogram.add(1, kStart + 14 * kHalfLife, kHalfLife);
  EXPECT_LT(histogram.percentile(1), 1.1);
}

TEST(DecayingHistogram, AClockThatStandsOrGoesBackTakesNoWeightAway) {
  Cpu histogram;
  histogram.add(1, kStart, kHalfLife);
  histogram.add(1, kStart, kHalfLife);
  histogram.add(1, kStart - hours(100), kHalfLife);
  EXPECT_EQ(histogram.total(), 3);
  EXPECT_EQ(histogram.as_of(), kStart);
}

TEST(DecayingHistogram, AnUnimaginablyLongTimeIsNoTrouble) {
  Cpu histogram;
  histogram.add(1, kStart - hours(876'000), kHalfLife);
  histogram.fade(kStart + hours(876'000), Duration(1));
  EXPECT_TRUE(histogram.empty());
}

// --- random histories
// ---------------------------------------------------------------------------------------

struct Measurement {
  double value = 0;
  MonoTime at{};
};
std::vector<Measurement> random_history(std::mt19937& random) {
  std::vector<Measurement> history(1 + random() % 300);
  std::lognormal_distribution<double> value(0, 1.5);
  auto at = kStart;
  for (auto& each : history) {
    at += minutes(random() % 120);
    each = {value(random), at};
  }
  return history;
}

/// The smallest value up to which `fraction` of all weight lies, by definition.
double naive_percentile(std::vector<Measurement> history, double fraction) {
  const auto newest = history.back().at;
  const auto weight = [&](const Measurement& each) {
    return std::exp2(-std::chrono::duration<double>(newest - each.at) /
                     std::chrono::duration<double>(kHalfLife));
  };
  double total = 0;
  for (const auto& each : history) total += weight(each);
  std::sort(history.begin(), history.end(),
            [](const Measurement& a, const Measurement& b) { return a.value < b.value; });
  double seen = 0;
  for (const auto& each : history) {
    seen += weight(each);
    if (seen >= fraction * total) return each.value;
  }
  return history.back().value;
}

TEST(DecayingHistogramProperty, LiesAboveTheTruthByOneBucketAtMost) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto history = random_history(random);
    Cpu histogram;
    for (const auto& each : history) histogram.add(each.value, each.at, kHalfLife);
    for (const double fraction : {0.1, 0.5, 0.9, 0.95, 0.98}) {
      // Rounding may tip a sum that is just at the fraction: the truth is looked up a hair beside it.
      const auto predicted = histogram.percentile(fraction).value_or(-1);
      EXPECT_GE(predicted, naive_percentile(history, fraction - 0.001)) << round << ' ' << fraction;
      EXPECT_LE(predicted, naive_percentile(history, fraction + 0.001) * 1.05 + 0.0251) << round;
    }
  }
}

TEST(DecayingHistogramProperty, PercentilesRiseWithTheFraction) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    Cpu histogram;
    for (const auto& each : random_history(random)) histogram.add(each.value, each.at, kHalfLife);
    double below = 0;
    for (int percent = 0; percent <= 100; ++percent) {
      const auto here = histogram.percentile(percent / 100.0).value_or(-1);
      EXPECT_GE(here, below) << percent;
      below = here;
    }
  }
}

}  // namespace
}  // namespace evenkeel
