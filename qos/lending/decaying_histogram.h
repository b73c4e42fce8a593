// Histogram of how often each size was seen, recent times counting more: exponential buckets whose weights
// halve with time (the design of the Kubernetes VPA). Of fixed size, allocates nothing. Does not know what is
// measured, or read a clock.
//
// Weights are kept as of the newest measurement and summed on each query. VPA and Koordinator keep them as of
// a reference time that moves every hundred half lives, and store their total: there a bucket outlives its
// last measurement by 13 to 113 half lives, here by 13; there the total no longer matches the weights after
// they went through a file, here no total is stored.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "qos/model/units.h"

namespace evenkeel::lending {

/// Bucket 0 is `first_bucket` wide, each further one wider by kGrowth than the previous; the last has no end.
struct HistogramScale {
  static constexpr double kGrowth = 1.05;
  double first_bucket = 0;
  std::size_t buckets = 0;
  [[nodiscard]] double start(std::size_t bucket) const;
  [[nodiscard]] std::size_t bucket(double value) const;
};
inline constexpr HistogramScale kCpuScale{0.025, 158};                 ///< CPUs, up to 1024
inline constexpr HistogramScale kMemoryScale{5.0 * (1U << 20U), 205};  ///< bytes, up to 2 TiB

/// A weight below this counts as zero: a single measurement is forgotten after 13 half lives.
inline constexpr float kMinWeight = 0.0001F;

/// The arithmetic, on the weights of one histogram.
void fade_weights(std::span<float> weights, double half_lives);
double total_weight(std::span<const float> weights);
/// The end of the bucket up to which `fraction` (0 to 1) of all weight lies: never below what was measured,
/// and above it by 5 % and one first bucket at most. Absent without any weight.
std::optional<double> weighted_percentile(std::span<const float> weights, const HistogramScale& scale,
                                          double fraction);

template <const HistogramScale& kScale>
class DecayingHistogram {
 public:
  using Weights = std::array<float, kScale.buckets>;
  DecayingHistogram() = default;
  DecayingHistogram(const Weights& weights, MonoTime as_of) : weights_(weights), as_of_(as_of) {}

  void add(double value, MonoTime now, Duration half_life) {
    fade(now, half_life);
    weights_[kScale.bucket(value)] += 1;
  }
  /// A time before the newest measurement changes nothing.
  void fade(MonoTime now, Duration half_life) {
    if (now <= as_of_) return;
    const auto elapsed = std::chrono::duration<double>(now - as_of_);
    fade_weights(weights_, elapsed / std::chrono::duration<double>(half_life));
    as_of_ = now;
  }
  [[nodiscard]] std::optional<double> percentile(double fraction) const {
    return weighted_percentile(weights_, kScale, fraction);
  }
  [[nodiscard]] double total() const { return total_weight(weights_); }
  [[nodiscard]] bool empty() const { return total() <= 0; }
  [[nodiscard]] const Weights& weights() const { return weights_; }
  [[nodiscard]] MonoTime as_of() const { return as_of_; }

 private:
  Weights weights_{};
  MonoTime as_of_{};
};

}  // namespace evenkeel::lending
