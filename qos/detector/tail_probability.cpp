#include "qos/detector/tail_probability.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace evenkeel::detector {

double normal_tail(double z) { return std::erfc(z / std::numbers::sqrt2) / 2; }

double student_tail(double t, double degrees_of_freedom) {
  const double n = degrees_of_freedom;
  if (!(n > 0)) return 1;
  const double z = std::sqrt(n * std::log1p(t * t / n)) * (8 * n + 1) / (8 * n + 3);
  return normal_tail(std::copysign(z, t));
}

double chance_of_both(double a, double b) {
  const double product = std::clamp(a, 0.0, 1.0) * std::clamp(b, 0.0, 1.0);
  return product > 0 ? product * (1 - std::log(product)) : 0;
}

}  // namespace evenkeel::detector
