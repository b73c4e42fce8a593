#include "qos/lending/decaying_histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel::lending {

double HistogramScale::start(std::size_t bucket) const {
  return first_bucket * (std::pow(kGrowth, static_cast<double>(bucket)) - 1) / (kGrowth - 1);
}

std::size_t HistogramScale::bucket(double value) const {
  if (!(value >= first_bucket)) return 0;
  const double position = std::log(value * (kGrowth - 1) / first_bucket + 1) / std::log(kGrowth);
  const auto last = static_cast<double>(buckets - 1);
  return static_cast<std::size_t>(std::min(position, last));
}

void fade_weights(std::span<float> weights, double half_lives) {
  const auto factor = static_cast<float>(std::exp2(-half_lives));
  for (float& weight : weights) {
    weight *= factor;
    if (weight < kMinWeight) weight = 0;
  }
}

double total_weight(std::span<const float> weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

std::optional<double> weighted_percentile(std::span<const float> weights, const HistogramScale& scale,
                                          double fraction) {
  const double total = total_weight(weights);
  if (total <= 0) return std::nullopt;
  const double wanted = fraction * total;
  double seen = 0;
  std::size_t bucket = 0;
  for (; bucket + 1 < weights.size(); ++bucket) {
    seen += weights[bucket];
    if (seen > 0 && seen >= wanted) break;
  }
  return scale.start(bucket + 1 < weights.size() ? bucket + 1 : bucket);
}

}  // namespace evenkeel::lending
