// Plain CPI² as published and in its open-source variants, for comparison with evenkeel's detector; the agent
// does not use it.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>

#include "tests/support/scenes/interference_scene.h"

namespace evenkeel::test {

/// 0.35 as published. A later open-source implementation uses 0.15.
inline constexpr double kCpi2Limit = 0.35, kCpi2LowLimit = 0.15;

class Cpi2 {
 public:
  explicit Cpi2(std::size_t samples_a_day) : samples_a_day_(samples_a_day) {}

  /// One sample per window. The model of normal is recomputed after each day, with older knowledge weighted
  /// by 0.9.
  void observe(const SceneWindow& window);
  /// Three of the last five samples are above mean + 2 standard deviations.
  [[nodiscard]] bool anomalous() const;
  /// The suspect with the highest correlation over the last ten windows, if that reaches `limit`.
  [[nodiscard]] std::optional<std::size_t> antagonist(double limit) const;
  [[nodiscard]] double threshold() const { return mean_ + 2 * deviation_; }

 private:
  std::size_t samples_a_day_;
  std::deque<SceneWindow> last_{};
  double sum_ = 0, squares_ = 0, count_ = 0;  ///< of this day, and the weighted earlier days
  std::size_t today_ = 0;
  bool known_ = false;
  double mean_ = 0, deviation_ = 0;
};

/// The formula: sum of u (1 - th/c) where c > th, otherwise u (c/th - 1), with the u scaled to a sum of one.
double cpi2_formula(std::span<const double> values, std::span<const double> activity, double threshold);

}  // namespace evenkeel::test
