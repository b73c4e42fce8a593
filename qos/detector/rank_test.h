// A sequential test by betting: looks at one trial after the other, and may stop at any time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace evenkeel::detector {

/// Whether one condition is unlike another. In each trial several spans of time are measured, one of them,
/// drawn at random, under the first condition, the others under the second. If the two do not differ, the
/// drawn span has each place in the order of all measurements equally often, whatever their distribution and
/// however they follow each other, so that a bet on the first places at fair odds gains nothing on average:
/// the chance that the wealth ever reaches 1 / RATE is at most RATE, however long it goes on (Ville's
/// inequality; Shafer 2021, "Testing by betting"). Two stakes are held, a bold one for a clear difference and
/// a careful one for a difference with exceptions.
class RankTest {
 public:
  RankTest() = default;
  /// As it was when wealths() was read.
  explicit RankTest(const std::array<double, 2>& wealths) : wealth_(wealths) {}

  /// One trial of `spans` measurements, at least 2. `rank`: how many of the others come before the drawn
  /// one, 0 to spans - 1. To call it larger than it is (ties, differences not worth a name) is safe.
  void add(std::int64_t rank, std::int64_t spans) {
    const auto count = static_cast<double>(spans);
    for (std::size_t i = 0; i < kDecay.size(); ++i) {
      const double odds = count * (1 - kDecay[i]) * std::pow(kDecay[i], static_cast<double>(rank)) /
                          (1 - std::pow(kDecay[i], count));
      wealth_[i] = std::min(wealth_[i] * odds, kMost);
    }
  }
  /// Begins with 1.
  [[nodiscard]] double wealth() const { return (wealth_[0] + wealth_[1]) / 2; }
  [[nodiscard]] const std::array<double, 2>& wealths() const { return wealth_; }
  bool operator==(const RankTest&) const = default;

 private:
  static constexpr std::array kDecay = {0.5, 0.8};  ///< of the stake from one place to the next
  static constexpr double kMost = 1e12;             ///< long decided
  std::array<double, 2> wealth_{1, 1};
};

}  // namespace evenkeel::detector
