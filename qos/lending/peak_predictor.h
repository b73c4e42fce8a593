// Predicted peaks of use, and the decaying histograms that they are learned in.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qos/model/nodeslo.h"
#include "qos/model/pod_resources.h"
#include "qos/model/units.h"

namespace evenkeel::lending {

// Histogram of how often each size was seen, recent times counting more: exponential buckets whose weights
// halve with time (the design of the Kubernetes VPA). Of fixed size, allocates nothing. Does not know what is
// measured, or read a clock.
//
// Weights are kept as of the newest measurement and summed on each query. VPA and Koordinator keep them as of
// a reference time that moves every hundred half lives, and store their total: there a bucket outlives its
// last measurement by 13 to 113 half lives, here by 13; there the total no longer matches the weights after
// they went through a file, here no total is stored.

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

// Predicts what pods, classes, the system and the node will need at their peaks, learned from their past use:
// Koordinator's peak predictor. Pure: time is passed in, agent/history saves the checkpoints.
//
// A model is of fixed size (kBytesPerModel); learning about known pods allocates nothing. Two things are done
// better than in Koordinator. What is unknown is not learned: without the node's measurement there is no
// system sample (Koordinator: zero), and without any sample there is no prediction (Koordinator: zero). And a
// class is charged with the sum of its pods' peaks, which need not coincide, but never with more than the
// whole node used.

/// One training sample: 90th percentiles over the training interval. Only for rounds in which the pods are
/// known: a class without a pod here is taken to use nothing. A pod that could not be measured is left out or
/// has no values: its share of the node counts as the system's.
struct TrainingRound {
  std::optional<Usage> node{};
  std::vector<PodUsage> pods{};
};

struct PeakModel {
  DecayingHistogram<kCpuScale> cpu{};
  DecayingHistogram<kMemoryScale> memory{};
  MonoTime since{};  ///< of the first sample of this history
  [[nodiscard]] bool empty() const { return cpu.empty() && memory.empty(); }
};
/// Besides a map node and the pod's uid: about 110 bytes.
inline constexpr std::size_t kBytesPerModel = sizeof(PeakModel);
static_assert(kBytesPerModel <= 1536);

/// Models that belong to no pod: no uid contains an '@'.
inline constexpr std::string_view kNodeModel = "@node", kSystemModel = "@system";
/// In the order of PriorityClass.
inline constexpr std::array<std::string_view, 5> kClassModels = {"@none", "@prod", "@mid", "@batch", "@free"};
constexpr std::string_view class_model(PriorityClass priority_class) {
  return kClassModels[static_cast<std::size_t>(priority_class)];
}

/// Which part of all past samples, 0 to 1, lies below the peak.
struct PeakLevel {
  double cpu = 0.95;
  double memory = 0.98;
};

class PeakPredictor {
 public:
  using Models = std::map<std::string, PeakModel, std::less<>>;

  /// Learns, and then drops models that have learned nothing for settings.model_expiration.
  void train(const TrainingRound& round, const PredictionSettings& settings, MonoTime now);

  /// `key`: a pod's uid or one of the names above. Absent is unknown. CPU in whole thousandths and memory in
  /// whole bytes, truncated.
  [[nodiscard]] Usage predict(std::string_view key, PeakLevel level = {}) const;
  [[nodiscard]] const PeakModel* find(std::string_view key) const;
  [[nodiscard]] const Models& models() const { return models_; }

  /// A model from a checkpoint: its weights decay from the time of saving to `now`, and from now on it has as
  /// long as any other to learn something. False: nothing is left of it.
  bool restore(std::string_view key, PeakModel model, const PredictionSettings& settings, MonoTime now);

 private:
  void learn(std::string_view key, const Usage& usage, const PredictionSettings& settings, MonoTime now);
  void drop_stale(Duration expiration, MonoTime now);
  Models models_{};
};

}  // namespace evenkeel::lending
