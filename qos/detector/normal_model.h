// What is normal for a signal of a workload, and how far samples are from it. Pure; fixed memory.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "qos/detector/detector_settings.h"
#include "qos/model/interference_settings.h"

namespace evenkeel::detector {

// Models what is normal for one signal of one workload: the level and spread of its samples, by median and
// median deviation, so that it still holds if half of the samples are bad. Fixed memory, no allocation. Does
// not know other workloads or read a clock.
//
// It begins with the median of the first samples, which are kept for that; from then on each sample moves the
// median and the deviation by one step of stochastic approximation, scaled by the weight of the past. Nothing
// is dropped: outliers count like any other sample (they cannot pull). When nearly all samples lie on one
// side for long, it starts again with the newest ones, so that a slower release does not alarm for ever.

/// The part of a model that is saved. Levels are logarithms (qos/model/interference_settings.h).
struct Normal {
  double level = 0;            ///< median
  double spread = 0;           ///< standard deviation, by the median deviation; may be below the floor
  double autocorrelation = 0;  ///< of neighbouring samples, 0 to 0.98
  double weight = 0;           ///< samples, the old ones faded
  MonoTime as_of{};            ///< of the newest one
  bool operator==(const Normal&) const = default;
};

/// From a mean and a standard deviation in the signal's unit, as in a file; trusted like `weight` samples.
Normal normal_from_mean(double mean, double deviation, double weight, MonoTime now,
                        const SignalTraits& signal);
/// The inverse of that deviation: how far above the usual one spread is, in the signal's unit.
double deviation_of(const Normal& normal, const SignalTraits& signal);
/// The model as far as it is still trusted at this moment: old samples weigh less.
Normal faded(Normal normal, MonoTime now, Duration half_life);

class NormalModel {
 public:
  explicit NormalModel(Signal signal = Signal::cpi) : signal_(&traits_of(signal)) {}

  /// Samples must be in order of time, without those during which a suspect was accused. A value that is not
  /// a number is ignored.
  void learn(double value, MonoTime now, const DetectorSettings& settings);
  /// After a new image or a restart: forgets level and spread. Autocorrelation is kept for a while: it
  /// depends on how the workload is used, and few samples cannot tell it.
  void relearn();
  /// From a checkpoint or a file: trusted by its weight, which fades from `as_of` on (this process's time
  /// line). False, and no change, for an impossible model.
  bool load(const Normal& normal);
  /// The same for a model without autocorrelation, which is then learned soon.
  bool load_without_autocorrelation(const Normal& normal);
  /// The loaded model is of another run of the workload: if the first samples of this run lie elsewhere, the
  /// model starts again with them.
  void doubt() { provisional_ = known_; }
  /// Absent while the first samples are gathered.
  [[nodiscard]] std::optional<Normal> normal() const;

  [[nodiscard]] bool trusted(const DetectorSettings& settings) const;
  /// In the signal's unit; of a model without samples: zero.
  [[nodiscard]] double usual() const;
  /// Samples above it are outliers, in the signal's unit.
  [[nodiscard]] double threshold(const DetectorSettings& settings) const;
  /// How many times the usual a sample is (with the signal's floor added to both).
  [[nodiscard]] double times_usual(double value) const;
  /// Spread of the levels, not below the floor, wider while little is known.
  [[nodiscard]] double spread(const DetectorSettings& settings) const;
  /// How many independent samples the model is worth.
  [[nodiscard]] double independent() const;
  [[nodiscard]] const SignalTraits& signal() const { return *signal_; }

 private:
  static constexpr std::size_t kFirst = 30;
  void keep(double level);
  void begin(MonoTime now);
  void initialize_autocorrelation();
  void step(double level, const DetectorSettings& settings);
  void update_autocorrelation(double level, MonoTime now, Duration interval);
  void pair(double first, double second, double most);
  void compute_autocorrelation();
  bool differs_from_loaded(const DetectorSettings& settings);
  bool is_persistently_shifted(double level, MonoTime now, const DetectorSettings& settings);

  const SignalTraits* signal_;
  Normal normal_{};
  bool known_ = false;                ///< normal_ holds; until then last_ is filled
  bool provisional_ = false;          ///< until last_ is filled
  std::array<float, kFirst> last_{};  ///< the newest levels, a ring
  std::size_t kept_ = 0;              ///< since the beginning
  double previous_ = 0;               ///< level of the newest sample, in spreads above normal
  bool has_previous_ = false;
  double product_ = 0, square_ = 1;  ///< averages over neighbours: their ratio is the autocorrelation
  double pair_weight_ = 0;           ///< how many pairs these stand for
  double shift_ = 0;                 ///< -1 to 1: how one-sided the last quarter of an hour was
  std::optional<MonoTime> shifted_since_{};
};

// Computes how far a victim's recent samples are from normal, and how likely that is by chance. Pure; fixed
// memory.

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
