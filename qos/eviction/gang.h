// What a pod's going does to its gang, as far as this node can see: members elsewhere are not known. So a
// gang counts as broken only on evidence seen here, and as whole unless that evidence is there.
// May not: choose.
#pragma once

#include <cstdint>

#include "qos/eviction/state.h"
#include "qos/model/snapshot.h"

namespace evenkeel::eviction {

enum class GangStanding : std::uint8_t {
  broken,  ///< too few are left already: what remains of it does no work
  spare,   ///< in no gang, or the gang has members to spare
  whole,   ///< its going would break the gang
};
GangStanding gang_standing(const NodeSnapshot& node, const EvictionState& state, const Pod& pod);

}  // namespace evenkeel::eviction
