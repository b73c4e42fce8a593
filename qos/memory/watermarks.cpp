#include "qos/memory/watermarks.h"

#include <algorithm>

#include "qos/model/pod_resources.h"
#include "qos/model/snapshot.h"

namespace evenkeel::memory {

Bytes memory_ceiling(std::optional<Bytes> limit, Bytes memory_high) {
  return limit && *limit > Bytes{} ? std::min(memory_high, *limit) : memory_high;
}

std::optional<ReclaimMarks> reclaim_marks(const MemoryTerms& terms, std::optional<Bytes> limit,
                                          Bytes memory_high, Bytes held) {
  if (terms.wmark_ratio <= Percent{}) return std::nullopt;
  const Bytes top = memory_ceiling(limit, memory_high);
  if (top == kNoMemoryLimit || top <= Bytes{}) return std::nullopt;
  const std::int64_t low_permill =
      std::max<std::int64_t>(terms.wmark_ratio.count() * 10 - terms.wmark_scale_permill, 0);
  ReclaimMarks out{top, percent_of(top, terms.wmark_ratio), Bytes(scaled(top.count(), low_permill, 1000))};
  out.low = std::max(out.low, held);
  if (out.low >= out.high) return std::nullopt;
  return out;
}

std::optional<Bytes> memory_limit(const Pod& pod) {
  Bytes sum = pod.overhead.memory.value_or(Bytes{});
  const auto& own = pod.pod_level_limits.memory;
  if (pod.label_qos != QosClass::be && own && *own > Bytes{}) return clamped_sum(sum, *own);
  for (const auto& container : pod.containers) {
    const auto limit = memory_claim(pod, container).limit;
    if (!limit || *limit <= Bytes{}) return std::nullopt;
    sum = clamped_sum(sum, *limit);
  }
  return pod.containers.empty() ? std::nullopt : std::optional(sum);
}

PageCacheFiles page_cache_files(const MemoryTerms& terms, std::optional<Bytes> pod_limit) {
  PageCacheFiles out;
  if (terms.page_cache_size) {
    out.size = pod_limit ? std::min(*terms.page_cache_size, *pod_limit) : *terms.page_cache_size;
  } else if (terms.page_cache_percent && pod_limit) {
    out.size = percent_of(*pod_limit, *terms.page_cache_percent);
  }
  if (out.size) out.enable = *out.size > Bytes{};
  if (out.enable == true) out.sync = terms.page_cache_sync;
  if (terms.page_cache_enable) out.enable = terms.page_cache_enable;
  return out;
}

std::optional<Bytes> page_cache_limit(const MemoryTerms& terms, std::optional<Bytes> pod_limit) {
  const auto files = page_cache_files(terms, pod_limit);
  return files.enable == true && files.size > Bytes{} ? files.size : std::nullopt;
}

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

bool is_nearly_full(const CgroupSample* cgroup, std::optional<Bytes> limit) {
  if (cgroup == nullptr || !cgroup->memory.current) return false;
  const Bytes top =
      memory_ceiling(limit, cgroup->applied.plain.bytes(Knob::memory_high).value_or(kNoMemoryLimit));
  return *cgroup->memory.current >= Bytes(scaled(top.count(), kFullPercent, 100));
}

}  // namespace

bool is_near_own_limit(const NodeSnapshot& node, const PodSample& pod) {
  if (is_nearly_full(node.cgroup(pod.cgroup), memory_limit(*pod.spec))) return true;
  return std::ranges::any_of(node.containers_of(pod), [&](const ContainerSample& container) {
    return container.spec != nullptr &&
           is_nearly_full(node.cgroup(container.cgroup), memory_limit_of(*pod.spec, *container.spec));
  });
}

Bytes min_besteffort_memory(const CgroupSample& besteffort) {
  const auto& applied = besteffort.applied;
  return std::max({applied.plain.bytes(Knob::memory_min).value_or(Bytes{}),
                   applied.plain.bytes(Knob::memory_low).value_or(Bytes{}),
                   with_headroom(*besteffort.memory.anonymous)});
}

}  // namespace evenkeel::memory
