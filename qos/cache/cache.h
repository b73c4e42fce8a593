// Policy "resctrl": ways of the last-level cache and memory bandwidth for the tasks of a class, or of one pod
// that has its own (annotation node.koordinator.sh/resctrl).
//
// Unlike Koordinator: a class that is not enabled has no group, and its tasks stay where they are; a range is
// never empty; caches are named by the kernel's own numbers; CAT and MBA work without one another; if the
// hardware has too few classes of service, groups share one instead of failing.
#pragma once

#include <string>
#include <vector>

#include "qos/cache/bandwidth_steering.h"
#include "qos/cache/way_steering.h"
#include "qos/decide/policy.h"
#include "qos/model/snapshot.h"

namespace evenkeel::cache {

/// Scratch memory, kept so that a steady tick allocates nothing, and the steering state of memories and
/// caches.
struct ResctrlState {
  std::vector<const PodSample*> own{};  ///< pods with groups of their own; valid within one tick
  std::string everything{};             ///< the schemata without any limit
  std::vector<ResctrlPart> parts{};     ///< of the group that is worked on
  BandwidthSteering steering{};         ///< remembered from tick to tick
  WaySteering ways{};                   ///< likewise
};

/// Interference decides later: the facts it published are from the tick before.
using ResctrlPolicy =
    decide::Policy<ResctrlState, decide::ReadsPrevious<decide::CacheLimits, decide::WatchedCgroups>>;
extern const ResctrlPolicy resctrl_policy;

}  // namespace evenkeel::cache
