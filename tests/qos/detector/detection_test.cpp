// The goal, on days of random series whose truth is known: at least as sensitive as plain CPI², at a tenth of
// its false alarms. The settings were not made on these seeds; tests/bench/detection_bench.cpp prints the
// whole table of more days.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "tests/support/rounds.h"
#include "tests/support/scenes/detection_trial.h"

namespace evenkeel::test {
namespace {

std::vector<unsigned> seeds(unsigned count) {
  std::vector<unsigned> out(rounds(count));
  std::iota(out.begin(), out.end(), 52'000U);
  return out;
}

double share(std::size_t some, std::size_t of) {
  return of == 0 ? 0 : static_cast<double>(some) / static_cast<double>(of);
}

/// How often the culprit is named because it does harm: less how often it is named when it does the same
/// without. A detector that accuses every pod all the time finds every culprit and says nothing.
double found_out(const Tally& harmful, const Tally& harmless) {
  return share(harmful.named, harmful.episodes) - share(harmless.named, harmless.episodes);
}

struct Results {
  std::array<Tallies, kFamilies> clean{};
  std::array<std::array<Tallies, 3>, kFamilies> planted{};
};
constexpr std::array<double, 3> kTimes = {1.2, 1.5, 2.0};

const Results& results() {
  static const Results all = [] {
    Results out;
    for (std::size_t f = 0; f < kFamilies; ++f) {
      const auto family = static_cast<Family>(f);
      const auto days = seeds(family == Family::waiting ? 2 : 8);
      out.clean[f] = run_trials(family, 1, days);
      for (std::size_t t = 0; t < kTimes.size(); ++t) out.planted[f][t] = run_trials(family, kTimes[t], days);
    }
    return out;
  }();
  return all;
}

constexpr auto kOurs = static_cast<std::size_t>(Detector::ours);

TEST(Detection, ATenthOfTheFalseAlarms) {
  Tallies all;
  for (const auto& family : results().clean)
    for (std::size_t d = 0; d < kDetectors; ++d) all[d] += family[d];
  for (const auto other : {Detector::cpi2, Detector::cpi2_low}) {
    const Tally& cpi2 = all[static_cast<std::size_t>(other)];
    EXPECT_LE(10 * all[kOurs].false_alarms, cpi2.false_alarms);
    EXPECT_LE(10 * all[kOurs].anomalous, cpi2.anomalous);
  }
  RecordProperty("false_alarms_ours", static_cast<int>(all[kOurs].false_alarms));
  RecordProperty("false_alarms_cpi2", static_cast<int>(all[0].false_alarms));
}

TEST(Detection, NoFamilyHasMoreFalseAlarms) {
  for (std::size_t f = 0; f < kFamilies; ++f)
    for (std::size_t d = 0; d < kOurs; ++d)
      // Where neither has any to speak of, one more or less is chance.
      EXPECT_LE(results().clean[f][kOurs].false_alarms, results().clean[f][d].false_alarms + 1)
          << kFamilyNames[f] << ", " << kDetectorNames[d];
}

TEST(Detection, AtLeastAsSensitiveOnEveryFamily) {
  for (std::size_t f = 0; f < kFamilies; ++f)
    for (std::size_t t = 0; t < kTimes.size(); ++t)
      for (std::size_t d = 0; d < kOurs; ++d) {
        const auto& harmful = results().planted[f][t];
        const auto& harmless = results().clean[f];
        // A few dozen episodes tell shares apart by so much; the bench has more of them.
        const auto ours = share_between(harmful[kOurs].named, harmful[kOurs].episodes);
        const double room = ours.high - share(harmful[kOurs].named, harmful[kOurs].episodes);
        EXPECT_GE(found_out(harmful[kOurs], harmless[kOurs]) + room, found_out(harmful[d], harmless[d]))
            << kFamilyNames[f] << ' ' << kTimes[t] << ", " << kDetectorNames[d];
      }
}

TEST(Detection, AVictimHalfAgainAsSlowIsSeen) {
  // What CPI² at 0.35 cannot see (its weakness 1); nearly always, as far as so few episodes can tell.
  for (const auto family :
       {Family::normal, Family::autocorrelated, Family::release, Family::slow, Family::twins}) {
    const auto& tally = results().planted[static_cast<std::size_t>(family)][1][kOurs];
    EXPECT_GT(share_between(tally.named, tally.episodes).high, 0.95)
        << kFamilyNames[static_cast<std::size_t>(family)];
  }
}

TEST(Detection, SharesHaveIntervals) {
  // Wilson's interval for 9 of 10.
  EXPECT_NEAR(share_between(9, 10).low, 0.5958, 1e-3);
  EXPECT_NEAR(share_between(9, 10).high, 0.9821, 1e-3);
  EXPECT_EQ(share_between(0, 0).high, 1);
}

}  // namespace
}  // namespace evenkeel::test
