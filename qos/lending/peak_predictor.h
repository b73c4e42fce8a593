// Predicts what pods, classes, the system and the node will need at their peaks, learned from their past use:
// Koordinator's peak predictor. Pure: time is passed in, agent/history saves the checkpoints.
//
// A model is of fixed size (kBytesPerModel); learning about known pods allocates nothing. Two things are done
// better than in Koordinator. What is unknown is not learned: without the node's measurement there is no
// system sample (Koordinator: zero), and without any sample there is no prediction (Koordinator: zero). And a
// class is charged with the sum of its pods' peaks, which need not coincide, but never with more than the
// whole node used.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "qos/lending/decaying_histogram.h"
#include "qos/model/nodeslo.h"
#include "qos/model/usage.h"

namespace evenkeel::lending {

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
