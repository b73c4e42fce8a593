// When a victim is called out of the ordinary, and how likely chance makes that: worked examples, published
// numbers, and the stated chance against what random samples do.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "qos/detector/normal_model.h"
#include "tests/support/fakes/known_model.h"
#include "tests/support/rounds.h"

namespace evenkeel {
namespace {

using std::chrono::minutes;

constexpr detector::DetectorSettings kSettings{};
using test::kModelStart;
using test::known_model;

detector::Anomaly after(const detector::NormalModel& model, std::initializer_list<double> values) {
  detector::AnomalyWatch watch;
  auto now = kModelStart;
  for (const double value : values) watch.add(value, now += minutes(1), model, kSettings);
  return watch.judge(model, kSettings);
}

TEST(TailChance, KnownValues) {
  EXPECT_NEAR(detector::normal_tail(0), 0.5, 1e-12);
  EXPECT_NEAR(detector::normal_tail(1.959964), 0.025, 1e-7);
  EXPECT_NEAR(detector::normal_tail(-1), 0.841345, 1e-6);
  // Tables of Student's distribution.
  EXPECT_NEAR(detector::student_tail(1.943, 6), 0.05, 0.0015);
  EXPECT_NEAR(detector::student_tail(5.208, 6), 0.001, 0.00005);
  EXPECT_NEAR(detector::student_tail(2.552, 18), 0.01, 0.0003);
  EXPECT_NEAR(detector::student_tail(3.610, 18), 0.001, 0.00003);
  EXPECT_NEAR(detector::student_tail(-2.552, 18), 0.99, 0.0003);
  EXPECT_EQ(detector::student_tail(9, 0), 1);
  // Two chances of 0.05: 0.0025 * (1 - ln 0.0025).
  EXPECT_NEAR(detector::combined_p_value(0.05, 0.05), 0.01748, 1e-5);
  EXPECT_EQ(detector::combined_p_value(1, 1), 1);
  EXPECT_EQ(detector::combined_p_value(0, 0.5), 0);
}

TEST(Anomaly, ThreeOutliersOfFive) {
  const auto model = known_model(1, 0.1);
  EXPECT_TRUE(after(model, {1.3, 1, 1.3, 1, 1.3}).anomalous);
  EXPECT_FALSE(after(model, {1.3, 1, 1.3, 1, 1}).anomalous);
  EXPECT_FALSE(after(model, {1.3, 1, 1, 1.3, 1, 1.3}).anomalous) << "the first is too long ago";
  EXPECT_TRUE(after(model, {1.3, 1.3, 1.3}).anomalous) << "three are enough to say so";
  EXPECT_FALSE(after(model, {0.5, 0.5, 0.5, 0.5, 0.5}).anomalous) << "better than usual is no suffering";
}

TEST(Anomaly, SaysHowMuch) {
  const auto found = after(known_model(1, 0.1), {1.4, 1.0, 1.3, 1.5, 1.2});
  EXPECT_TRUE(found.known);
  EXPECT_EQ(found.outliers, 3U);  // two spreads above 1 are 1.21
  EXPECT_EQ(found.samples, 5U);
  EXPECT_NEAR(found.value, 1.3, 1e-6);
  EXPECT_NEAR(found.times_usual, 1.3, 1e-6);
  // log(1.3) is 2.75 spreads; a median of five has an error of 0.54 of them.
  EXPECT_NEAR(std::log10(found.chance), std::log10(detector::normal_tail(2.753 / 0.5385)), 0.05);
}

TEST(Anomaly, UnknownIsNotWell) {
  EXPECT_FALSE(after(known_model(1, 0.1), {2, 2}).known);
  EXPECT_FALSE(after(detector::NormalModel(Signal::cpi), {2, 2, 2, 2, 2}).known);
  EXPECT_FALSE(after(detector::NormalModel(Signal::cpi), {2, 2, 2, 2, 2}).anomalous);
}

TEST(Anomaly, SamplesThatCrowdAreOneEvent) {
  const auto model = known_model(1, 0.1);
  detector::AnomalyWatch watch;
  auto now = kModelStart;
  EXPECT_TRUE(watch.add(2, now, model, kSettings));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(watch.add(2, now += std::chrono::seconds(1), model, kSettings));
  EXPECT_FALSE(watch.judge(model, kSettings).known);
}

TEST(Anomaly, WhatWasBeforeAGapIsForgotten) {
  const auto model = known_model(1, 0.1);
  detector::AnomalyWatch watch;
  auto now = kModelStart;
  for (int i = 0; i < 2; ++i) watch.add(2, now += minutes(1), model, kSettings);
  watch.add(2, now += minutes(20), model, kSettings);
  EXPECT_FALSE(watch.judge(model, kSettings).known);
}

TEST(Anomaly, VarianceOfNeighbours) {
  EXPECT_EQ(detector::variance_inflation(0, 5), 1);
  EXPECT_NEAR(detector::variance_inflation(1, 5), 5, 1e-12);
  EXPECT_NEAR(detector::variance_inflation(0.9, 5),
              1 + 2 * (0.8 * 0.9 + 0.6 * 0.81 + 0.4 * 0.729 + 0.2 * 0.6561), 1e-12);
}

TEST(Anomaly, WhereNeighboursAreAlikeItTakesMore) {
  const std::initializer_list<double> values = {1.25, 1.25, 1.25, 1.25, 1.25};
  const auto independent = after(known_model(1, 0.1), values),
             alike = after(known_model(1, 0.1, 0.9), values);
  EXPECT_TRUE(independent.anomalous);
  EXPECT_FALSE(alike.anomalous);
  EXPECT_LT(independent.chance, 1e-4);
  EXPECT_GT(alike.chance, 5e-3);
}

/// Of one minute after the other.
double share_of_anomalies(double alike, unsigned windows, double least_chance) {
  const auto model = known_model(1, 0.1, alike);
  const double spread = model.normal()->spread;
  std::mt19937 random(1);
  std::normal_distribution<> gauss;
  detector::AnomalyWatch watch;
  auto now = kModelStart;
  double state = 0;
  unsigned found = 0;
  for (unsigned i = 0; i < windows; ++i) {
    state = alike * state + std::sqrt(1 - alike * alike) * gauss(random);
    watch.add(std::exp(spread * state), now += minutes(1), model, kSettings);
    const auto judged = watch.judge(model, kSettings);
    found += judged.known && judged.chance <= least_chance ? 1 : 0;
  }
  return found / static_cast<double>(windows);
}

TEST(AnomalyProperty, TheChanceIsWhatRandomSamplesShow) {
  const auto windows = test::rounds(100'000);
  for (const double chance : {0.1, 0.01, 0.001}) {
    // Windows overlap: about a fifth of them are news.
    const double room = 0.3 + 2 / std::sqrt(windows * chance / 5);
    EXPECT_NEAR(share_of_anomalies(0, windows, chance) / chance, 1, room) << chance;
    // Not exact where neighbours are alike; never on the side of too many.
    EXPECT_LT(share_of_anomalies(0.9, windows, chance) / chance, 1 + 2 * room) << chance;
  }
}

}  // namespace
}  // namespace evenkeel
