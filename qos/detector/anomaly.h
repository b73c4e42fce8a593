// Computes how far a victim's recent samples are from normal, and how likely that is by chance. Pure; fixed
// memory.
#pragma once

#include <array>
#include <cstddef>

#include "qos/detector/normal_model.h"

namespace evenkeel::detector {

// The probability of reaching a value by chance: upper tails of the distributions that the detector uses.

/// P(Z > z) of the standard normal distribution.
double normal_tail(double z);

/// P(T > t) of Student's distribution, by Wallace's approximation. Too large by at most 2 % for 28 degrees of
/// freedom down to 1e-6, by 11 % for 6 down to 1e-4. 1 without any degree of freedom.
double student_tail(double t, double degrees_of_freedom);

/// The probability that two independent p-values have a product of a * b or less: combines two pieces of
/// evidence (Fisher's method, for two).
double combined_p_value(double a, double b);

// Whether a victim is anomalous: a few outliers among the last samples, and how likely that is by chance.
// Pure; fixed memory. Does not name a cause (suspects.h does).

struct Anomaly {
  bool known = false;      ///< the model is trusted and there are enough samples to decide
  bool anomalous = false;  ///< enough of the last samples are outliers
  std::size_t outliers = 0, samples = 0;
  double value = 0;        ///< median of those samples, in the signal's unit
  double times_usual = 1;  ///< how many times normal that is
  /// Probability that this many samples of the model, with its autocorrelation, have such a median. Not
  /// corrected for repeated looks. Never less than 1e-9: tails are not known that far.
  double chance = 1;
};

class AnomalyWatch {
 public:
  static constexpr std::size_t kMaxSamples = 8;

  /// Compares with the model before this sample. False: the value is not a number, or came too soon after the
  /// one before.
  bool add(double value, MonoTime now, const NormalModel& model, const DetectorSettings& settings);
  [[nodiscard]] Anomaly judge(const NormalModel& model, const DetectorSettings& settings) const;
  void clear() { count_ = 0; }

 private:
  struct Sample {
    float value = 0;
    bool outlier = false;
  };
  std::array<Sample, kMaxSamples> samples_{};  ///< the newest first
  std::size_t count_ = 0;
  MonoTime newest_{};
};

/// How much more the mean of `samples` neighbours varies than if they were independent, at this correlation
/// from one to the next: 1 for 0, `samples` for 1.
double variance_inflation(double autocorrelation, std::size_t samples);

}  // namespace evenkeel::detector
