// Settings of the interference detector: every number that is a choice, with its unit and its reason. Does
// not compute anything.
#pragma once

#include <cstddef>

#include "qos/model/interference_settings.h"

namespace evenkeel::detector {

struct DetectorSettings {
  // --- how often there is a sample
  Duration counter_period{std::chrono::seconds(60)};  ///< of cycles per instruction
  Duration stall_window{std::chrono::seconds(10)};    ///< of waits and stalls
  /// From one sample of this signal to the next.
  [[nodiscard]] constexpr Duration interval(const SignalTraits& signal) const {
    return signal.counts_cycles ? counter_period : stall_window;
  }

  // --- what is normal (normal_model.h)
  /// A sample counts half as much after this time: a working day still shows on the next one.
  Duration half_life{std::chrono::hours(24)};
  /// A model is trusted after this many samples …
  double min_samples = 30;
  /// … and after this many that count as independent: similar neighbours add little.
  double min_independent_samples = 6;
  /// Spread is never taken for less than this part of the level; otherwise a quiet workload would alarm on
  /// nothing.
  double min_spread = 0.03;
  /// If the level is shifted for this long and no suspect is accused, it becomes the new normal.
  Duration relearn_after{std::chrono::hours(1)};

  // --- what is out of the ordinary (normal_model.h)
  /// A sample this many spreads above normal is an outlier (CPI² takes 2).
  double outlier_spreads = 2;
  /// Less than this many times normal is ignored, however certain it is.
  double min_effect = 1.1;
  /// This many outliers … (CPI² takes 3 of 5)
  std::size_t anomaly_outliers = 3;
  /// … among this many samples make an anomaly.
  std::size_t anomaly_samples = 5;
  /// Samples that are closer than this part of their interval are one event, not two: a container may be
  /// counted at the end of one period and at the beginning of the next. Half of it, because ticks may be
  /// late.
  double separation = 0.5;
  /// Cycles per instruction of a victim that hardly runs say nothing (CPI² takes a quarter of a CPU).
  MilliCpu min_cpu_use{250};

  // --- which suspect is accused (suspects.h)
  /// How many false accusations a day all victims of the node together may cost. All chances are held against
  /// it, corrected for the number of victims and of suspects.
  double max_false_alarms_per_day = 0.1;
  /// However abnormal the victim: an accusation by correlation needs a probability below this, over all
  /// suspects, that an innocent one would have moved with the victim as well.
  double max_p_value = 0.01;
  /// An accusation by blame needs this part of the victim's additional waiting compared with normal times.
  double min_blame = 0.3;
  /// Of two suspects that move together, one is named alone if the victim's signal is this many times
  /// likelier with it than with the other …
  double separating_likelihood_ratio = 8;
  /// … or if its effect is this many times as large.
  double separating_effect_ratio = 2;

  // --- a test (limit_effect.h)
  /// The smallest chance of 8 slots is 1 in 62: three of the best plans are below this.
  double max_trial_p_value = 0.05;

  // --- did the limit help (limit_effect.h)
  /// So much of what was above normal has to be gone.
  double min_relief = 0.5;
  /// Samples after the limit within which the relief has to show.
  std::size_t relief_samples = 2;
  /// A suspect whose limit did not help is not a suspect for that victim for this long.
  Duration cool_down{std::chrono::minutes(30)};
};

}  // namespace evenkeel::detector
