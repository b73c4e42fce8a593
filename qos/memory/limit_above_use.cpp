#include "qos/memory/limit_above_use.h"

#include <algorithm>

#include "qos/memory/watermarks.h"

namespace evenkeel::memory {

Bytes with_headroom(Bytes used) {
  constexpr std::int64_t kRoomPercent = 2, kRoomStep = std::int64_t{1} << 20;
  const auto roomy = scaled_up(used.count(), 100 + kRoomPercent, 100);
  return Bytes(scaled(scaled_up(roomy, 1, kRoomStep), kRoomStep, 1));
}

Bytes limit_above_use(Bytes wanted, Bytes used, Bytes now) {
  const Bytes least = with_headroom(used);
  if (wanted >= least) return wanted;
  return now > least ? least : std::max(now, wanted);
}

namespace {

constexpr std::int64_t kFullPercent = 95;

}  // namespace

bool is_near_own_limit(const NodeSnapshot& node, const PodSample& pod) {
  return std::ranges::any_of(node.containers_of(pod), [&](const ContainerSample& container) {
    const auto* cgroup = node.cgroup(container.cgroup);
    if (container.spec == nullptr || cgroup == nullptr || !cgroup->memory.current) return false;
    const Bytes top = memory_ceiling(container.spec->limits.memory,
                                     cgroup->applied.plain.bytes(Knob::memory_high).value_or(kNoMemoryLimit));
    return *cgroup->memory.current >= Bytes(scaled(top.count(), kFullPercent, 100));
  });
}

Bytes min_besteffort_memory(const CgroupSample& besteffort) {
  const auto& applied = besteffort.applied;
  return std::max({applied.plain.bytes(Knob::memory_min).value_or(Bytes{}),
                   applied.plain.bytes(Knob::memory_low).value_or(Bytes{}),
                   with_headroom(*besteffort.memory.anonymous)});
}

}  // namespace evenkeel::memory
