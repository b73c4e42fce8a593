#include "qos/model/interference_settings.h"

#include <algorithm>
#include <cmath>

namespace evenkeel {

double level_of(double value, const SignalTraits& signal) {
  constexpr double kLeast = 1e-6;  // for the logarithm of a signal without a floor
  return std::log(std::max(std::max(value, 0.0) + signal.floor, kLeast));
}
double value_of(double level, const SignalTraits& signal) {
  return std::max(std::exp(level) - signal.floor, 0.0);
}

}  // namespace evenkeel
