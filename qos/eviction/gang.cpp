#include "qos/eviction/gang.h"

#include <algorithm>

namespace evenkeel::eviction {
namespace {

struct Members {
  std::int64_t here = 0;  ///< that go on working
  std::int64_t lost = 0;  ///< that failed, are on their way, or went lately
};

Members members_of(const NodeSnapshot& node, const EvictionState& state, const std::string& gang) {
  Members members;
  for (const PodSample& pod : node.pods) {
    const Pod& spec = *pod.spec;
    if (spec.eviction.gang.name != gang || spec.phase == PodPhase::succeeded) continue;
    (is_active(spec) && !spec.terminating ? members.here : members.lost) += 1;
  }
  for (const auto& gone : state.gone_lately)
    if (gone.gang == gang && node.pod(gone.uid) == nullptr) ++members.lost;
  return members;
}

}  // namespace

// With more members here than it needs, one may go whatever is elsewhere. With fewer the rest is elsewhere,
// unless members were lost here: then it lacks as many, less those that it can spare.
GangStanding gang_standing(const NodeSnapshot& node, const EvictionState& state, const Pod& pod) {
  const Gang& gang = pod.eviction.gang;
  if (gang.name.empty()) return GangStanding::spare;
  const Members members = members_of(node, state, gang.name);
  if (gang.min_available && members.here > *gang.min_available) return GangStanding::spare;
  const std::int64_t needed = gang.min_available.value_or(0);
  const std::int64_t to_spare =
      gang.min_available && gang.total ? std::max<std::int64_t>(*gang.total - needed, 0) : 0;
  const bool enough_here = gang.min_available && members.here >= needed;
  if (!enough_here && members.lost > to_spare) return GangStanding::broken;
  return members.lost < to_spare ? GangStanding::spare : GangStanding::whole;
}

}  // namespace evenkeel::eviction
