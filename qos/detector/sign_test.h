// A sequential test by betting: looks at one pair of measurements after the other, and may stop at any time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace evenkeel::detector {

/// Whether one of two conditions is worse. Each pair is measured under both, in random order. If they do not
/// differ, each is the worse one equally often, whatever the distribution, so that a bet on one of them at
/// even odds gains nothing on average: the chance that the wealth ever reaches 1 / RATE is at most RATE,
/// however long it goes on (Ville's inequality; Shafer 2021, "Testing by betting"). Two stakes are held, a
/// bold one for a clear difference and a careful one for a difference with exceptions.
class SignTest {
 public:
  SignTest() = default;
  /// As it was when wealths() was read.
  explicit SignTest(const std::array<double, 2>& wealths) : wealth_(wealths) {}
  /// `won`: the condition that was bet on was the worse one. A pair without a difference is not added.
  void add(bool won) {
    for (std::size_t i = 0; i < kStakes.size(); ++i)
      wealth_[i] = std::min(wealth_[i] * (won ? 1 + kStakes[i] : 1 - kStakes[i]), kMost);
  }
  /// Begins with 1.
  [[nodiscard]] double wealth() const { return (wealth_[0] + wealth_[1]) / 2; }
  [[nodiscard]] const std::array<double, 2>& wealths() const { return wealth_; }
  bool operator==(const SignTest&) const = default;

 private:
  static constexpr std::array kStakes = {0.5, 0.9};
  static constexpr double kMost = 1e12;  ///< long decided
  std::array<double, 2> wealth_{1, 1};
};

}  // namespace evenkeel::detector
