// Who of the pods goes for a trigger, and if nobody, why not. May not: say whether somebody has to.
#pragma once

#include "qos/eviction/eviction.h"

namespace evenkeel::eviction {

struct EvictionChoice {
  const PodSample* victim = nullptr;
  Reason nobody{};  ///< without a victim: what became of every pod
};
/// First by the trigger's rank. Among equals members of broken gangs go first and those of whole ones last;
/// of the whole ones first that which has most to give here, so that few gangs are broken. Then the heavier.
EvictionChoice choose_victim(const EvictionTrigger& trigger, const EvictionInput& input,
                             const EvictionState& state);

/// How long an owner is spared after one of its pods went; its broken gangs are not.
inline constexpr Duration kOwnerCoolDown = std::chrono::minutes(1);

}  // namespace evenkeel::eviction
