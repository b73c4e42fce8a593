// What is normal for one signal of one workload: where its samples lie and how far they spread, by median and
// median deviation, so that half of the samples may be bad and it still holds. Fixed memory, no allocation.
// May not: know who else runs, or ask a clock.
//
// It begins with the median of the first samples, kept for that; from then on each sample moves the median
// and the deviation by one step of stochastic approximation, as wide as the weight of the past makes it.
// Nothing is dropped: outliers count as any other sample (they cannot pull). When nearly all samples lie on
// one side for long, it begins again with the newest ones, so nobody alarms for ever about a release that is
// slower.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "qos/detector/detector_settings.h"
#include "qos/model/victim_signal.h"

namespace evenkeel::detector {

/// All that is worth keeping of a model. Levels are logarithms (victim_signal.h).
struct Normal {
  double level = 0;            ///< median
  double spread = 0;           ///< standard deviation, by the median deviation; may be below the floor
  double autocorrelation = 0;  ///< of neighbouring samples, 0 to 0.98
  double weight = 0;           ///< samples, the old ones faded
  MonoTime as_of{};            ///< of the newest one
  bool operator==(const Normal&) const = default;
};

/// From a mean and a standard deviation in the signal's unit, as a file has them; believed like `weight`
/// samples.
Normal normal_from_mean(double mean, double deviation, double weight, MonoTime now,
                        const SignalTraits& signal);
/// The inverse of that deviation: how far above the usual one spread is, in the signal's unit.
double deviation_of(const Normal& normal, const SignalTraits& signal);
/// As far as it is still to be trusted at this moment: what is old weighs less.
Normal faded(Normal normal, MonoTime now, Duration half_life);

class NormalModel {
 public:
  explicit NormalModel(Signal signal = Signal::cpi) : signal_(&traits_of(signal)) {}

  /// Samples come in the order of time; not to be called with samples that somebody was found guilty of. What
  /// is no number is no sample.
  void learn(double value, MonoTime now, const DetectorSettings& settings);
  /// Another image, a restart: level and spread are forgotten. How alike neighbours are is kept for a while:
  /// that is how the workload is used, and few samples cannot tell it.
  void relearn();
  /// From a checkpoint or a file: trusted as far as its weight goes, which fades from `as_of` (on this
  /// process's time line) on. False, and nothing changes, for what no model can be.
  bool load(const Normal& normal);
  /// The same of one that does not say how alike neighbours are: that is learned soon.
  bool load_without_autocorrelation(const Normal& normal);
  /// What was loaded is of another run of the workload: should the first samples of this one lie elsewhere,
  /// it begins again with them.
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
  /// How many independent samples it is worth.
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

}  // namespace evenkeel::detector
