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
      proof::Trial trial{.spans = proof::kMostSpans};
      trial.withheld = static_cast<std::int64_t>(random() % proof::kMostSpans);
      const std::size_t first = random() % (recorded.size() - proof::kMostSpans);
      std::copy_n(recorded.begin() + static_cast<std::ptrdiff_t>(first), proof::kMostSpans,
                  trial.felt.begin());
      proof::conclude(trial, one);
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

}  // namespace
}  // namespace evenkeel
