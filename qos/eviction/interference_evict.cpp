#include <algorithm>

#include "qos/eviction/choice.h"
#include "qos/eviction/triggers.h"

namespace evenkeel::eviction {
namespace {

using Is = EvictionNeed::Is;

/// The next one is limited first, and only then judged.
constexpr Duration kCoolDown = std::chrono::minutes(1);

EvictionNeed need(const EvictionInput& input, bool /*draining*/) {
  if (input.use.antagonists.empty()) return {Is::no, because("no pod hurts a service again and again")};
  return {Is::yes,
          because("{} pods were limited for a service's sake again and again, and each time it helped",
                  static_cast<std::int64_t>(input.use.antagonists.size()))};
}

/// Its eviction ends what only it causes.
std::optional<std::int64_t> is_antagonist(const EvictionInput& input, const PodSample& pod) {
  const CgroupSample* cgroup = input.node.cgroup(pod.cgroup);
  if (cgroup == nullptr || !std::ranges::binary_search(input.use.antagonists, cgroup->id))
    return std::nullopt;
  return 1;
}

}  // namespace

constinit const EvictionTrigger interference_evict_trigger{"interference-evict",
                                                           FeatureGate::interference_evict,
                                                           kCoolDown,
                                                           false,
                                                           nothing_missing,
                                                           need,
                                                           is_labelled_best_effort,
                                                           rank_of_best_effort,
                                                           is_antagonist,
                                                           use_weight};

}  // namespace evenkeel::eviction
