// Judges whether a limit on a suspect helped the victim, and which suspect that clears. Pure; fixed memory.
// Does not set or remove a limit.
//
// A victim is watched because it was worse than usual, so on average it gets better whatever is limited:
// "cured" is permission to go on, not proof. "Not cured" is proof enough to stop.
// (qos/detector/randomized_trial.h proves.)
#pragma once

#include <array>
#include <cstddef>

#include "qos/detector/normal_model.h"
#include "qos/model/ids.h"

namespace evenkeel::detector {

enum class ReliefOutcome : std::uint8_t {
  waiting,       ///< waits for the samples that decide
  relieved,      ///< most of what was above usual is gone, or the victim is no outlier any more
  not_relieved,  ///< the limit must be removed, and the suspect is cleared
  unknown,       ///< the samples did not come: the limit must be removed, and nothing is known of the suspect
};

struct ReliefOutcomeResult {
  ReliefOutcome cure = ReliefOutcome::waiting;
  double times_before = 1, times_after = 1;  ///< of usual
  double relief = 0;  ///< part of what was above usual (as a logarithm) that is gone; below 0: it got worse
};

/// One limit on one suspect for one victim.
class ReliefWatch {
 public:
  /// `before`: what the victim's signal was (the anomaly's value). Samples begin after the limit is in force.
  void begin(double before, MonoTime now);
  void add(double value, MonoTime now);
  [[nodiscard]] ReliefOutcomeResult judge(const NormalModel& model, MonoTime now,
                                          const DetectorSettings& settings) const;

 private:
  static constexpr std::size_t kMaxSamples = 8;
  std::array<double, kMaxSamples> after_{};
  std::size_t count_ = 0;
  double before_ = 0;
  MonoTime begun_{};
};

/// Suspects that are cleared for a while, with the victim. When it is full, the one that expires first is
/// replaced.
class ClearedSuspects {
 public:
  void clear(CgroupId victim, CgroupId suspect, MonoTime until);
  [[nodiscard]] bool cleared(CgroupId victim, CgroupId suspect, MonoTime now) const;

 private:
  struct Entry {
    CgroupId victim{}, suspect{};
    MonoTime until{};
  };
  std::array<Entry, 64> entries_{};
};

}  // namespace evenkeel::detector
