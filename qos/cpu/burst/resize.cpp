// What a resize in place asks of burst: room for the owner's write, and no answer to a limit that is burst's
// own.
#include <algorithm>

#include "qos/cpu/burst/burst.h"
#include "qos/cpu/burst/parts.h"

namespace evenkeel::burst {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// The kubelet carries a raised limit out before its list tells it. Burst leaves such a quota alone for as
// long as it leaves any foreign one (docs/levers.md).
constexpr Duration kListIsLate = seconds(60);

// Where no list tells of a resize, nothing else does: the kernel refuses a quota below the burst, and a
// refused write leaves no trace. Any burst at all refuses some quota for good. So such a pod has none for two
// minutes of each hour. The kubelet repeats a refused resize after 10 s to 90 s, so that one attempt falls
// into the pause. To take the burst from idle containers only would not do: a busy one is resized as well.
constexpr Duration kRoomEvery = hours(1);
constexpr Duration kRoom = minutes(2);

/// Null: burst has not seen the pod before.
const CpuBurstState::PodQuota* memory_of(const NodeSnapshot& node, const PodSample& pod,
                                         const CpuBurstState& state) {
  const CgroupSample* cgroup = node.cgroup(pod.cgroup);
  if (!cgroup) return nullptr;
  const auto found = state.pods.find(cgroup->id);
  return found == state.pods.end() ? nullptr : &found->second;
}

}  // namespace

bool awaits_resize(const Pod& pod) {
  return std::ranges::any_of(pod.containers,
                             [](const Container& one) { return one.pending_cpu_limit.has_value(); });
}

Resize resize_of(const NodeSnapshot& node, const PodSample& pod, const CpuBurstState& state) {
  if (pod.spec->from_cgroup_only) {
    const auto* memory = memory_of(node, pod, state);
    const bool room = memory && (node.at - memory->since) % kRoomEvery >= kRoomEvery - kRoom;
    return room ? Resize::possible : Resize::none;
  }
  return awaits_resize(*pod.spec) || pod.spec->pending_pod_level_cpu ? Resize::pending : Resize::none;
}

QuotaTime ceiling_during_resize(Resize resize, bool v2_cpu, const CpuBurstState::Candidate& candidate,
                                std::optional<QuotaTime> whole, QuotaTime ceiling) {
  if (resize == Resize::none) return ceiling;
  if (candidate.pending && *candidate.pending < candidate.base) return candidate.base;
  if (v2_cpu) return ceiling;
  // The kubelet is about to write a container's limit, the whole pod's, or the sum of the others'.
  if (!candidate.pending && !whole) return candidate.base;
  const QuotaTime room = std::min(candidate.pending.value_or(ceiling), whole.value_or(ceiling));
  return std::clamp(room, candidate.base, ceiling);
}

bool owner_is_ahead(const CpuBurstState::Candidate& candidate, CpuBurstState::Container& memory,
                    MonoTime now) {
  if (candidate.pending && *candidate.pending < candidate.base && candidate.current == candidate.pending)
    return true;
  const bool more = candidate.listed && !candidate.divisor && memory.most_of_ours > QuotaTime{} &&
                    candidate.current && *candidate.current > std::max(memory.most_of_ours, candidate.base);
  if (!more) memory.ahead_since.reset();
  if (more && !memory.ahead_since) memory.ahead_since = now;
  return more && now - *memory.ahead_since < kListIsLate;
}

std::optional<MilliCpu> pod_level_limit(const NodeSnapshot& node, const PodSample& pod, Percent most,
                                        std::optional<double> divisor, const CpuBurstState& state) {
  const auto& listed = pod.spec->pod_level_limits.cpu;
  const CgroupSample* cgroup = node.cgroup(pod.cgroup);
  if (!listed || !pod.spec->pending_pod_level_cpu || !cgroup) return listed;
  const auto* memory = memory_of(node, pod, state);
  const auto& limit = cgroup->applied.cpu_limit;
  const bool known = memory && memory->level;
  if (!limit || limit->period <= Duration::zero()) return known ? memory->level : listed;
  // At the start nothing is raised yet, but the list may tell what the agent before had raised.
  if (!known) return limit->quota ? std::min(*listed, cpu_of(*limit->quota, limit->period)) : listed;
  const auto& asked = pod.spec->pending_pod_level_cpu;
  if (divisor && *asked <= *memory->level) return asked;  // a smaller limit counts from the spec on
  const MilliCpu overhead = pod.spec->overhead.cpu.value_or(MilliCpu{});
  const QuotaTime whole = base_quota(clamped_sum(*memory->level, overhead), limit->period);
  const MilliCpu least = divisor ? cpu_of(divided(whole, divisor), limit->period) : *memory->level;
  const bool may_be_ours =
      *listed >= least && quota_for(*listed, limit->period) <= burst_ceiling(whole, most);
  return may_be_ours ? memory->level : listed;
}

}  // namespace evenkeel::burst
