// Room that the policy "resctrl" works in, kept so that a steady tick allocates nothing; nothing in it is
// remembered from tick to tick.
#pragma once

#include <string>
#include <vector>

#include "qos/snapshot.h"

namespace evenkeel {

struct ResctrlState {
  std::vector<const PodSample*> own{};  ///< pods with groups of their own; valid within one tick
  std::string everything{};             ///< the schemata without any limit
};

}  // namespace evenkeel
