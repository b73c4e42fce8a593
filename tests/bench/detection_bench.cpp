// Synthetic series before plain CPI² and before ours: false alarms on clean days, share of the planted
// episodes in which the culprit was named. DETECTION_SEEDS: how many days of each.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tests/support/detection_trial.h"

namespace evenkeel::test {
namespace {

std::vector<unsigned> seeds() {
  const char* text = std::getenv("DETECTION_SEEDS");
  std::vector<unsigned> out(text != nullptr ? std::strtoul(text, nullptr, 10) : 100);
  std::iota(out.begin(), out.end(), 1000U);
  return out;
}

void run() {
  const auto all = seeds();
  std::printf(
      "%zu victim-days of each; accusations of innocent ones per victim-day; episodes in which the culprit "
      "was named, %%\n",
      all.size());
  std::printf("%-27s %7s", "", "planted");
  for (const char* name : kDetectorNames) std::printf(" | %-29s", name);
  std::printf("\n%-27s %7s", "", "");
  for (std::size_t i = 0; i < kDetectors; ++i)
    std::printf(" | %8s %8s  %11s", "anomal.", "false/d", "named, 95 %");
  std::printf("\n");
  Tallies clean;
  for (std::size_t f = 0; f < kFamilies; ++f) {
    for (const double times : {1.0, 1.2, 1.5, 2.0}) {
      const auto tallies = run_trials(static_cast<Family>(f), times, all);
      std::printf("%-27s %6.1fx", kFamilyNames[f], times);
      for (std::size_t d = 0; d < kDetectors; ++d) {
        const Tally& tally = tallies[d];
        std::printf(" | %8.2f %8.3f ", static_cast<double>(tally.anomalous) / tally.days,
                    static_cast<double>(tally.false_alarms) / tally.days);
        const auto found = share_between(tally.named, tally.episodes);
        if (tally.episodes > 0)
          std::printf(" %3.0f (%3.0f-%3.0f)",
                      100.0 * static_cast<double>(tally.named) / static_cast<double>(tally.episodes),
                      100 * found.low, 100 * found.high);
        else
          std::printf(" %13s", "");
        if (times == 1) clean[d] += tally;
      }
      std::printf("\n");
    }
  }
  std::printf("%-27s %7s", "all clean days", "");
  for (const auto& tally : clean)
    std::printf(" | %8.2f %8.3f  %12s", static_cast<double>(tally.anomalous) / tally.days,
                static_cast<double>(tally.false_alarms) / tally.days, "");
  std::printf("\n");
}

}  // namespace
}  // namespace evenkeel::test

int main() { evenkeel::test::run(); }
