// Room that the policy "resctrl" works in, kept so that a steady tick allocates nothing, and what it has
// learned of the memories and the caches.
#pragma once

#include <string>
#include <vector>

#include "qos/cache/bandwidth_steering.h"
#include "qos/cache/way_steering.h"
#include "qos/model/snapshot.h"

namespace evenkeel::cache {

struct ResctrlState {
  std::vector<const PodSample*> own{};  ///< pods with groups of their own; valid within one tick
  std::string everything{};             ///< the schemata without any limit
  std::vector<ResctrlPart> parts{};     ///< of the group that is worked on
  ResctrlSteering steering{};           ///< remembered from tick to tick
  WaySteering ways{};                   ///< likewise
};

}  // namespace evenkeel::cache
