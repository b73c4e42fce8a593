#include "qos/memory_qos_terms.h"

#include <algorithm>

#include "qos/pod_requests.h"

namespace evenkeel {
namespace {

bool asks_itself(const MemoryQosOverride& own) {
  return own.policy == MemoryQosOverride::Policy::automatic || own.min_limit_percent ||
         own.low_limit_percent || own.throttling_percent || own.oom_kill_group || own.wmark_ratio ||
         own.wmark_scale_permill || own.page_cache_enable || own.page_cache_limit_percent ||
         own.page_cache_limit_size;
}

MemoryTerms terms_of(const MemoryQos& memory) {
  MemoryTerms out;
  out.min = memory.min_limit_percent.value_or(out.min);
  out.low = memory.low_limit_percent.value_or(out.low);
  out.throttling = memory.throttling_percent.value_or(out.throttling);
  out.oom_group = memory.oom_kill_group == 1;
  out.wmark_ratio = memory.wmark_ratio.value_or(out.wmark_ratio);
  out.wmark_scale_permill = memory.wmark_scale_permill.value_or(out.wmark_scale_permill);
  out.page_cache_enable = memory.page_cache_enable;
  out.page_cache_percent = memory.page_cache_limit_percent;
  out.page_cache_size = memory.page_cache_limit_size;
  return out;
}

/// Koordinator's built-in table ("auto"), in which memory.min, memory.low and memory.high are off.
MemoryTerms built_in(QosClass value) {
  MemoryTerms out;
  if (value == QosClass::system) return out;
  out.wmark_ratio = Percent(95);
  out.wmark_scale_permill = 20;
  return out;
}

void lay_over(MemoryTerms& out, const MemoryQosOverride& own) {
  out.min = own.min_limit_percent.value_or(out.min);
  out.low = own.low_limit_percent.value_or(out.low);
  out.throttling = own.throttling_percent.value_or(out.throttling);
  if (own.oom_kill_group) out.oom_group = *own.oom_kill_group == 1;
  out.wmark_ratio = own.wmark_ratio.value_or(out.wmark_ratio);
  out.wmark_scale_permill = own.wmark_scale_permill.value_or(out.wmark_scale_permill);
  if (own.page_cache_enable) out.page_cache_enable = own.page_cache_enable;
  if (own.page_cache_limit_percent) out.page_cache_percent = own.page_cache_limit_percent;
  if (own.page_cache_limit_size) out.page_cache_size = own.page_cache_limit_size;
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
    out = terms_of(*of_class);
  }
  lay_over(out, own);
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
  return {request.value_or(Bytes{}), batch ? container.limits.batch_memory : container.limits.memory};
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

}  // namespace evenkeel
