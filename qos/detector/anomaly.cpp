#include <algorithm>
#include <cmath>
#include <numbers>

#include "qos/detector/normal_model.h"

namespace evenkeel::detector {

double normal_tail(double z) { return std::erfc(z / std::numbers::sqrt2) / 2; }

double student_tail(double t, double degrees_of_freedom) {
  const double n = degrees_of_freedom;
  if (!(n > 0)) return 1;
  const double z = std::sqrt(n * std::log1p(t * t / n)) * (8 * n + 1) / (8 * n + 3);
  return normal_tail(std::copysign(z, t));
}

double combined_p_value(double a, double b) {
  const double product = std::clamp(a, 0.0, 1.0) * std::clamp(b, 0.0, 1.0);
  return product > 0 ? product * (1 - std::log(product)) : 0;
}

namespace {

/// How much more the median of a few normal samples varies than their mean.
constexpr double kMedianVariance = 1.45;
constexpr double kLeastChance = 1e-9;

}  // namespace

double variance_inflation(double autocorrelation, std::size_t samples) {
  double sum = 1, power = 1;
  const auto all = static_cast<double>(samples);
  for (std::size_t lag = 1; lag < samples; ++lag) {
    power *= autocorrelation;
    sum += 2 * (1 - static_cast<double>(lag) / all) * power;
  }
  return sum;
}

bool AnomalyWatch::add(double value, MonoTime now, const NormalModel& model,
                       const DetectorSettings& settings) {
  if (!std::isfinite(value)) return false;
  const Duration interval = settings.interval(model.signal());
  if (count_ > 0 && std::chrono::duration<double>(now - newest_) < interval * settings.separation)
    return false;
  // Older than all samples considered: earlier ones are no longer part of the present.
  if (count_ > 0 && now - newest_ > interval * static_cast<int>(kMaxSamples)) count_ = 0;
  std::shift_right(samples_.begin(), samples_.end(), 1);
  samples_[0] = {static_cast<float>(value), value > model.threshold(settings)};
  count_ = std::min(count_ + 1, kMaxSamples);
  newest_ = now;
  return true;
}

Anomaly AnomalyWatch::judge(const NormalModel& model, const DetectorSettings& settings) const {
  Anomaly out;
  out.samples = std::min({count_, settings.anomaly_samples, kMaxSamples});
  if (out.samples < settings.anomaly_outliers || !model.trusted(settings)) return out;
  out.known = true;
  std::array<float, kMaxSamples> values{};
  for (std::size_t i = 0; i < out.samples; ++i) {
    values[i] = samples_[i].value;
    out.outliers += samples_[i].outlier ? 1 : 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(out.samples / 2);
  std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(out.samples));
  out.value = *middle;
  out.times_usual = model.times_usual(out.value);
  out.anomalous = out.outliers >= settings.anomaly_outliers;
  const double inflation = variance_inflation(model.normal()->autocorrelation, out.samples);
  const double error =
      std::sqrt(std::min(kMedianVariance * inflation / static_cast<double>(out.samples), 1.0));
  const double distance = std::log(out.times_usual) / (model.spread(settings) * error);
  out.chance = std::max(normal_tail(distance), kLeastChance);
  return out;
}

}  // namespace evenkeel::detector
