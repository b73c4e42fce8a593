// Compares evenkeel's detector with plain CPI² on the same scenes: how often each accuses an innocent pod,
// and how often it finds the culprit.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "qos/detector/detector_settings.h"
#include "tests/support/scenes/interference_scene.h"

namespace evenkeel::test {

enum class Detector : std::uint8_t { cpi2, cpi2_low, ours };
inline constexpr std::size_t kDetectors = 3;
inline constexpr std::array<const char*, kDetectors> kDetectorNames = {"CPI2 at 0.35", "CPI2 at 0.15",
                                                                       "ours"};

struct Tally {
  double days = 0;            ///< of one victim, without learning
  std::size_t anomalous = 0;  ///< windows in which the victim was called abnormal but was not harmed
  std::size_t false_alarms =
      0;                     ///< accusations of innocent pods; a lasting one counts again every five minutes
  std::size_t episodes = 0;  ///< episodes in which the culprit works
  std::size_t named = 0;     ///< of those, how many led to its accusation; if it does no harm, by chance
  std::size_t together = 0;  ///< of those named: only together with another one
  Tally& operator+=(const Tally& other);
};
using Tallies = std::array<Tally, kDetectors>;

/// One day of learning and one that counts, for every seed.
Tallies run_trials(Family family, double times, std::span<const unsigned> seeds,
                   const detector::DetectorSettings& settings = {});

/// 95 % interval of the share of `some` in `of` (Wilson).
struct Interval {
  double low = 0, high = 1;
};
Interval share_between(std::size_t some, std::size_t of);

}  // namespace evenkeel::test
