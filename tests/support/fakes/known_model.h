// A model of normal behaviour with fixed values, as if learned from very many samples.
#pragma once

#include "qos/detector/normal_model.h"

namespace evenkeel::test {

inline constexpr MonoTime kModelStart{std::chrono::hours(100)};

inline detector::NormalModel known_model(double mean, double deviation, double autocorrelation = 0) {
  detector::NormalModel model(Signal::cpi);
  auto normal = detector::normal_from_mean(mean, deviation, 1e6, kModelStart, traits_of(Signal::cpi));
  normal.autocorrelation = autocorrelation;
  model.load(normal);
  return model;
}

}  // namespace evenkeel::test
