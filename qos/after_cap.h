// Did a limit help? What the victim says in the first samples after it.
#pragma once

#include <cstddef>

#include "qos/detector_settings.h"

namespace evenkeel {

class AfterCap {
 public:
  enum class Outcome : unsigned char { open, cured, not_cured };
  AfterCap() = default;
  /// The victim's signal while it suffered, and what is usual for it.
  AfterCap(double before, double usual) : before_(before), usual_(usual) {}
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  [[nodiscard]] Outcome outcome(const DetectorSettings& settings) const {
    if (count_ < settings.cure_samples) return Outcome::open;
    const double after = sum_ / static_cast<double>(count_);
    const double most = usual_ + (before_ - usual_) * (1 - settings.least_relief);
    return after <= most ? Outcome::cured : Outcome::not_cured;
  }

 private:
  double before_ = 0, usual_ = 0, sum_ = 0;
  std::size_t count_ = 0;
};

}  // namespace evenkeel
