#include "qos/memory/memory_qos_terms.h"

#include <algorithm>

#include "qos/model/pod_resources.h"

namespace evenkeel::memory {
namespace {

bool asks_itself(const MemoryQosOverride& own) {
  return own.policy == MemoryQosOverride::Policy::automatic || own != MemoryQosOverride{.policy = own.policy};
}

/// Overrides earlier values with those of a class or a pod's annotation: their fields have the same names.
template <class Fields>
void lay_over(MemoryTerms& out, const Fields& named) {
  out.min = named.min_limit_percent.value_or(out.min);
  out.low = named.low_limit_percent.value_or(out.low);
  out.throttling = named.throttling_percent.value_or(out.throttling);
  if (named.oom_kill_group) out.oom_group = *named.oom_kill_group == 1;
  out.wmark_ratio = named.wmark_ratio.value_or(out.wmark_ratio);
  out.wmark_scale_permill = named.wmark_scale_permill.value_or(out.wmark_scale_permill);
  out.wmark_min_adj = named.wmark_min_adj.value_or(out.wmark_min_adj);
  if (named.priority_enable) out.priority_oom = *named.priority_enable == 1;
  out.priority = named.priority.value_or(out.priority);
  if (named.page_cache_enable) out.page_cache_enable = named.page_cache_enable;
  if (named.page_cache_limit_percent) out.page_cache_percent = named.page_cache_limit_percent;
  if (named.page_cache_limit_size) out.page_cache_size = named.page_cache_limit_size;
  out.page_cache_sync = named.page_cache_reclaim_sync.value_or(out.page_cache_sync);
}

/// Koordinator's built-in table ("auto"), in which memory.min, memory.low and memory.high are off.
MemoryTerms built_in(QosClass value) {
  MemoryTerms out;
  if (value == QosClass::system) return out;
  out.wmark_ratio = Percent(95);
  out.wmark_scale_permill = 20;
  out.wmark_min_adj = value == QosClass::be ? 50 : -25;
  return out;
}

}  // namespace

std::optional<MemoryTerms> memory_terms(const Pod& pod, const QosStrategy& qos) {
  const auto& own = pod.memory_qos;
  if (!is_active(pod) || pod.from_cgroup_only) return std::nullopt;
  if (own.policy == MemoryQosOverride::Policy::none) return std::nullopt;
  const auto& of_class = strategy_of(qos, default_qos(pod)).memory;
  const bool class_is_on = of_class && of_class->enable;
  if (!class_is_on && !asks_itself(own)) return std::nullopt;
  MemoryTerms out;
  if (own.policy == MemoryQosOverride::Policy::automatic) {
    out = built_in(default_qos(pod));
  } else if (class_is_on) {
    out = class_terms(*of_class);
  }
  lay_over(out, own);
  return out;
}

MemoryTerms class_terms(const MemoryQos& memory) {
  MemoryTerms out;
  lay_over(out, memory);
  return out;
}

MemoryClaim memory_claim(const Pod& pod) {
  const auto requests = pod_requests(pod);
  const bool batch = pod.label_qos == QosClass::be;
  return {(batch ? requests.batch_memory : requests.memory).value_or(Bytes{}), std::nullopt};
}

MemoryClaim memory_claim(const Pod& pod, const Container& container) {
  const bool batch = pod.label_qos == QosClass::be;
  const auto& request = batch ? container.requests.batch_memory : container.requests.memory;
  return {request.value_or(Bytes{}), batch ? container.limits.batch_memory : memory_limit_of(pod, container)};
}

MemoryProtection protection(const MemoryTerms& terms, Bytes request) {
  MemoryProtection out{percent_of(request, terms.min), percent_of(request, terms.low)};
  if (out.low > Bytes{}) out.low = std::max(out.low, out.min);
  return out;
}

std::optional<Bytes> throttling_point(const MemoryTerms& terms, const MemoryClaim& claim,
                                      Bytes node_allocatable) {
  constexpr std::int64_t kPage = 4096;
  if (terms.throttling <= Percent{}) return std::nullopt;
  const bool limited = claim.limit && *claim.limit > Bytes{};
  const Bytes top = limited ? *claim.limit : node_allocatable;
  const auto share = percent_of(clamped_difference(top, claim.request), terms.throttling);
  const auto raw = clamped_sum(claim.request, share).count();
  return std::max(Bytes(raw - raw % kPage), protection(terms, claim.request).min);
}

}  // namespace evenkeel::memory
