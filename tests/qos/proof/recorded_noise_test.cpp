// How often a lever without any effect is said to harm, under the noise of a real machine.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <vector>

#include "qos/proof/proof.h"
#include "tests/support/rounds.h"

namespace evenkeel {
namespace {

/// How long redis waited for a CPU on average, in each second of three quarters of an hour beside four
/// spinning threads under a CPU quota (microseconds, /proc/PID/task/TID/schedstat; tests/scoreboard/planted
/// --harmless, Linux 6.18, 2 CPUs).
std::vector<double> recorded_seconds() {
  std::ifstream file(EVENKEEL_SOURCE_DIR "/tests/data/proof/redis_waits_us.txt");
  std::vector<double> all;
  for (double us = 0; file >> us;) all.push_back(us * 1e-6);
  return all;
}

/// What a trial without any effect would measure: a row of spans of so many recorded seconds each.
proof::Trial trial_of(const std::vector<double>& recorded, std::size_t seconds_per_span,
                      std::mt19937& random) {
  proof::Trial trial{.spans = proof::kMostSpans};
  trial.withheld = static_cast<std::int64_t>(random() % proof::kMostSpans);
  std::size_t next = random() % (recorded.size() - proof::kMostSpans * seconds_per_span);
  for (double& felt : trial.felt) {
    for (std::size_t i = 0; i < seconds_per_span; ++i) felt += recorded[next++];
    felt /= static_cast<double>(seconds_per_span);
  }
  return trial;
}

/// A thousand levers for a hundred hours each, with as many trials as the budget allows: each trial is a row
/// of recorded seconds, of which one is drawn as that without the lever.
TEST(ProofErrorRate, HoldsInAHundredThousandHoursOfRecordedNoise) {
  const auto recorded = recorded_seconds();
  ASSERT_GT(recorded.size(), 2000U);
  const unsigned levers = test::rounds(1000);
  constexpr int kHours = 100, kTrialsPerHour = 36;
  std::mt19937 random(7);
  int harmed = 0, helped = 0;
  for (unsigned lever = 0; lever < levers; ++lever) {
    proof::Evidence one;
    bool harms = false, helps = false;
    for (int n = 0; n < kHours * kTrialsPerHour; ++n) {
      proof::conclude(trial_of(recorded, 1, random), one);
      harms = harms || one.verdict == proof::Verdict::harms;
      helps = helps || one.verdict == proof::Verdict::helps;
    }
    harmed += harms ? 1 : 0;
    helped += helps ? 1 : 0;
  }
  // One each is expected at most; more than five have a chance below 0.001.
  EXPECT_LE(harmed, 5);
  EXPECT_LE(helped, 5);
  std::printf("of %u levers without effect, %d hours each: %d harm, %d help\n", levers, kHours, harmed,
              helped);
}

/// The same where services report their latency too: each kind of evidence has half of the error rate, and a
/// lever harms if one of them says so. A span by figures is of four seconds.
TEST(ProofErrorRate, HoldsForBothKindsOfEvidenceTogether) {
  const auto recorded = recorded_seconds();
  ASSERT_GT(recorded.size(), 2000U);
  const unsigned levers = test::rounds(1000);
  constexpr int kHours = 100, kRoundsPerHour = 4, kFeltPerRound = 5;
  constexpr double kTarget = 1e-3;  // beside the waits, so that differences are noticed
  std::mt19937 random(11);
  int harmed = 0, helped = 0, suspected = 0;
  for (unsigned lever = 0; lever < levers; ++lever) {
    proof::ProofState state;
    bool harms = false, helps = false, suspect = false;
    const auto conclude = [&](proof::Trial trial, proof::Evidence& one) {
      trial.error_rate = proof::kErrorRate / 2;
      proof::conclude(trial, one);
      suspect = suspect || one.harms.wealth() > 2;
      harms = harms || proof::verdict(state, 0) == proof::Verdict::harms;
      helps = helps || proof::verdict(state, 0) == proof::Verdict::helps;
    };
    for (int n = 0; n < kHours * kRoundsPerHour; ++n) {
      for (int i = 0; i < kFeltPerRound; ++i) conclude(trial_of(recorded, 1, random), state.evidence[0]);
      proof::Trial by_figures = trial_of(recorded, 4, random);
      by_figures.feeling = proof::Feeling::reported;
      for (double& felt : by_figures.felt) felt /= kTarget;
      conclude(by_figures, state.reported[0]);
    }
    harmed += harms ? 1 : 0;
    helped += helps ? 1 : 0;
    suspected += suspect ? 1 : 0;
  }
  // One each is expected at most; more than five have a chance below 0.001.
  EXPECT_LE(harmed, 5);
  EXPECT_LE(helped, 5);
  EXPECT_GT(suspected, 0) << "a test that can never find anything is no test";
}

}  // namespace
}  // namespace evenkeel
