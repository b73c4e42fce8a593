// Whether a limit on a suspect helps the victim: the watch while a limit is in force, and the randomized
// trial before one is set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "qos/detector/detector_settings.h"
#include "qos/detector/normal_model.h"
#include "qos/model/ids.h"
#include "qos/model/interference_settings.h"

namespace evenkeel::detector {

// Judges whether a limit on a suspect helped the victim, and which suspect that clears. Pure; fixed memory.
// Does not set or remove a limit.
//
// A victim is watched because it was worse than usual, so on average it gets better whatever is limited:
// "relieved" is permission to go on, not proof. "Not relieved" is proof enough to stop.
// (The randomized trial below proves.)

enum class ReliefOutcome : std::uint8_t {
  waiting,       ///< waits for the samples that decide
  relieved,      ///< most of what was above usual is gone, or the victim is no outlier any more
  not_relieved,  ///< the limit must be removed, and the suspect is cleared
  unknown,       ///< the samples did not come: the limit must be removed, and nothing is known of the suspect
};

struct ReliefOutcomeResult {
  ReliefOutcome outcome = ReliefOutcome::waiting;
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

// Tests whether limiting a suspect helps the victim: the suspect is limited in some time slots and not in
// others, by a plan that is drawn beforehand, and the victim's signal is compared. This answers what
// observation cannot: a suspect with constant activity, two that move together, a victim that got slow when
// another pod happened to start. Pure: the seed comes from the caller.

inline constexpr std::size_t kMinSlots = 6, kMaxSlots = 16;

/// In half of the slots the suspect is limited, and never more than three times in a row either way, so that
/// a slow drift of the victim does not look like an effect.
struct TrialPlan {
  std::uint32_t limited_slots = 0;  ///< bit i: the suspect is limited in slot i
  std::size_t slots = 0;
  [[nodiscard]] bool limited(std::size_t slot) const { return (limited_slots >> slot & 1U) != 0; }
  bool operator==(const TrialPlan&) const = default;
};

/// One of all such plans, all equally likely. `slots` is made even and clamped to kMinSlots and kMaxSlots.
TrialPlan draw_trial_plan(std::uint64_t seed, std::size_t slots);

/// The number of plans for this many slots: its inverse is the smallest p-value that a test can have (8
/// slots: 1 in 62).
std::size_t trial_plan_count(std::size_t slots);

enum class TrialOutcome : std::uint8_t {
  guilty,    ///< the victim was better off in the slots in which the suspect was limited
  innocent,  ///< it was not, or by too little
  unclear,   ///< it was, but that may well be chance
  unknown,   ///< too few slots in which the victim was measured
};

struct TestResult {
  TrialOutcome outcome = TrialOutcome::unknown;
  std::size_t measured = 0;  ///< slots with a value
  double effect = 1;         ///< times as slow with the suspect left alone as with it limited
  double chance = 1;         ///< share of all plans that would have shown such an effect or a greater one
};

/// `means`: the victim's signal in each slot of the plan, absent where it was not measured (that slot is left
/// out, of every plan). Exact: all plans are tried, 62 for 8 slots, 6344 for 16.
TestResult conclude(const TrialPlan& plan, std::span<const std::optional<double>> means,
                    const SignalTraits& signal, const DetectorSettings& settings);

}  // namespace evenkeel::detector
