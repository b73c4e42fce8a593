// Tests whether limiting a suspect helps the victim: the suspect is limited in some time slots and not in
// others, by a plan that is drawn beforehand, and the victim's signal is compared. This answers what
// observation cannot: a suspect with constant activity, two that move together, a victim that got slow when
// another pod happened to start. Pure: the seed comes from the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "qos/detector/detector_settings.h"
#include "qos/model/victim_signal.h"

namespace evenkeel::detector {

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
