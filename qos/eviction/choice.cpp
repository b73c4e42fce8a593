#include "qos/eviction/choice.h"

#include <algorithm>
#include <tuple>

namespace evenkeel::eviction {

namespace {

struct Census {
  std::int64_t others = 0;      ///< this trigger may not choose them
  std::int64_t barred = 0;      ///< their owner forbids it, or no method could evict them
  std::int64_t requested = 0;   ///< eviction requested lately
  std::int64_t resting = 0;     ///< another pod of their owner was evicted lately
  std::int64_t no_release = 0;  ///< evicting them would free nothing that is short, or it is not known
};

/// Whether the trigger may choose the pod at all: not if it cannot be evicted for good, is terminating or no
/// longer listed, or if its owner set hands-off.
bool can_go(const EvictionTrigger& trigger, const Pod& pod) {
  const bool allowed = (pod.eviction.by >> static_cast<unsigned>(trigger.gate) & 1U) != 0;
  return allowed && is_active(pod) && !pod.terminating && !pod.unlisted && !pod.hands_off && !pod.is_static &&
         !pod.eviction.daemon && !pod.from_cgroup_only && !pod.name.empty();
}

bool is_passed_over(const EvictionState& state, const std::string& uid) {
  return std::ranges::any_of(state.skipped_pods, [&](const auto& one) { return one.uid == uid; });
}

bool owner_rests(const EvictionState& state, const std::string& owner, MonoTime now) {
  return !owner.empty() && std::ranges::any_of(state.recent_evictions, [&](const auto& gone) {
    return gone.owner_uid == owner && now - gone.at < kOwnerCoolDown;
  });
}

std::int64_t released(const EvictionTrigger& trigger, const EvictionInput& input, const PodSample& pod) {
  return std::max<std::int64_t>(trigger.releases(input, pod).value_or(0), 0);
}

/// What the gang's members here would release together.
std::int64_t gang_release(const EvictionTrigger& trigger, const EvictionInput& input,
                          const std::string& gang) {
  std::int64_t sum = 0;
  for (const PodSample& pod : input.node.pods) {
    if (pod.spec->eviction.gang.name != gang || !can_go(trigger, *pod.spec) ||
        !trigger.is_candidate(input.threshold, *pod.spec))
      continue;
    if (__builtin_add_overflow(sum, released(trigger, input, pod), &sum)) return INT64_MAX;
  }
  return sum;
}

struct Standing {
  EvictionRank rank{};
  GangState gang{};
  std::int64_t gang_release = 0;
  std::int64_t weight = 0;
  const Pod* pod = nullptr;
};

bool goes_before(const Standing& a, const Standing& b) {
  const auto key = [](const Standing& one) { return std::tuple(one.rank, one.gang, -one.gang_release); };
  if (key(a) != key(b)) return key(a) < key(b);
  // One gang after the other, not one member of each.
  const std::string &gang = a.pod->eviction.gang.name, &other = b.pod->eviction.gang.name;
  if (a.gang == GangState::whole && gang != other) return gang < other;
  if (a.weight != b.weight) return a.weight > b.weight;
  return a.pod->name > b.pod->name;
}

/// Absent: it is not evicted, and `census` counts why.
std::optional<Standing> standing_of(const EvictionTrigger& trigger, const EvictionInput& input,
                                    const EvictionState& state, const PodSample& pod, Census& census) {
  const auto stays = [](std::int64_t& count) {
    ++count;
    return std::nullopt;
  };
  const Pod& spec = *pod.spec;
  if (pod.cgroup == kNoCgroup || !trigger.is_candidate(input.threshold, spec)) return stays(census.others);
  if (!can_go(trigger, spec)) return stays(census.barred);
  if (is_passed_over(state, spec.uid)) return stays(census.requested);
  if (released(trigger, input, pod) <= 0) return stays(census.no_release);
  const GangState gang = gang_state(input.node, state, spec);
  if (gang != GangState::broken && owner_rests(state, spec.eviction.owner_uid, input.node.at))
    return stays(census.resting);
  const std::int64_t together =
      gang == GangState::whole ? gang_release(trigger, input, spec.eviction.gang.name) : 0;
  return Standing{trigger.rank(spec), gang, together, trigger.weight(input.node, pod), &spec};
}

}  // namespace

EvictionChoice choose_victim(const EvictionTrigger& trigger, const EvictionInput& input,
                             const EvictionState& state) {
  Census census;
  EvictionChoice choice;
  std::optional<Standing> first;
  for (const PodSample& pod : input.node.pods) {
    const auto standing = standing_of(trigger, input, state, pod, census);
    if (!standing || (first && !goes_before(*standing, *first))) continue;
    first = standing;
    choice.victim = &pod;
  }
  if (choice.victim) return choice;
  choice.why_none = because(
      "no pod can be evicted: of {} pods {} are not for this trigger, {} may not be evicted, for {} an "
      "eviction was requested lately, the owner of {} has just lost a pod, {} would free nothing",
      static_cast<std::int64_t>(input.node.pods.size()), census.others, census.barred, census.requested,
      census.resting, census.no_release);
  return choice;
}

namespace {

struct Members {
  std::int64_t here = 0;  ///< that continue to work
  std::int64_t lost = 0;  ///< that failed, are terminating, or were evicted lately
};

Members members_of(const NodeSnapshot& node, const EvictionState& state, const std::string& gang) {
  Members members;
  for (const PodSample& pod : node.pods) {
    const Pod& spec = *pod.spec;
    if (spec.eviction.gang.name != gang || spec.phase == PodPhase::succeeded) continue;
    (is_active(spec) && !spec.terminating ? members.here : members.lost) += 1;
  }
  for (const auto& gone : state.recent_evictions)
    if (gone.gang == gang && node.pod(gone.uid) == nullptr) ++members.lost;
  return members;
}

}  // namespace

// With more members here than it needs, one may be evicted whatever is elsewhere. With fewer the rest is
// elsewhere, unless members were lost here: then it lacks as many, less those that it can spare.
GangState gang_state(const NodeSnapshot& node, const EvictionState& state, const Pod& pod) {
  const Gang& gang = pod.eviction.gang;
  if (gang.name.empty()) return GangState::spare;
  const Members members = members_of(node, state, gang.name);
  if (gang.min_available && members.here > *gang.min_available) return GangState::spare;
  const std::int64_t needed = gang.min_available.value_or(0);
  const std::int64_t to_spare =
      gang.min_available && gang.total ? std::max<std::int64_t>(*gang.total - needed, 0) : 0;
  const bool enough_here = gang.min_available && members.here >= needed;
  if (!enough_here && members.lost > to_spare) return GangState::broken;
  return members.lost < to_spare ? GangState::spare : GangState::whole;
}

}  // namespace evenkeel::eviction
