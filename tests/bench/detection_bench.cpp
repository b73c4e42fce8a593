// Compares plain CPI² with evenkeel's detector on synthetic series: false alarms on clean days, and the share
// of planted episodes in which the culprit was named. DETECTION_SEEDS: how many days of each.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tests/support/scenes/detection_trial.h"

namespace evenkeel::test {
namespace {

std::vector<unsigned> seeds() {
  const char* text = std::getenv("DETECTION_SEEDS");
  std::vector<unsigned> out(text != nullptr ? std::strtoul(text, nullptr, 10) : 100);
  std::iota(out.begin(), out.end(), 1000U);
  return out;
}

double a_day(std::size_t count, const Tally& tally) { return static_cast<double>(count) / tally.days; }

void print_row(const char* family, double times, const Tallies& tallies) {
  std::printf("%-26s %4.1f", family, times);
  for (const Tally& tally : tallies) {
    const auto between = share_between(tally.named, tally.episodes);
    const double named = 100.0 * static_cast<double>(tally.named) / static_cast<double>(tally.episodes);
    std::printf(" | %8.2f %8.3f  %3.0f (%3.0f-%3.0f)", a_day(tally.anomalous, tally),
                a_day(tally.false_alarms, tally), named, 100 * between.low, 100 * between.high);
  }
  std::printf("\n");
}

void run() {
  const auto all = seeds();
  std::printf(
      "%zu victim-days of each. Per day: windows called anomalous while no pod did harm, accusations of\n"
      "innocent ones. In %%: episodes of a culprit's work in which it was named; at 1.0 times as slow it "
      "does\n"
      "no harm, and naming it is chance.\n",
      all.size());
  std::printf("%-26s %4s", "", "x");
  for (const char* name : kDetectorNames) std::printf(" | %-31s", name);
  std::printf("\n%-26s %4s", "", "slow");
  for (std::size_t i = 0; i < kDetectors; ++i)
    std::printf(" | %8s %8s  %-13s", "anomal/d", "false/d", "named, 95 %");
  std::printf("\n");
  Tallies clean;
  for (std::size_t f = 0; f < kFamilies; ++f)
    for (const double times : {1.0, 1.2, 1.5, 2.0}) {
      const auto tallies = run_trials(static_cast<Family>(f), times, all);
      print_row(kFamilyNames[f], times, tallies);
      for (std::size_t d = 0; times == 1 && d < kDetectors; ++d) clean[d] += tallies[d];
    }
  print_row("all clean days", 1, clean);
}

}  // namespace
}  // namespace evenkeel::test

int main() { evenkeel::test::run(); }
