#include "qos/memory_qos_terms.h"

#include <algorithm>

#include "qos/pod_requests.h"

namespace evenkeel {
namespace {

const QosClassStrategy& class_of(const QosStrategy& qos, QosClass value) {
  switch (value) {
    case QosClass::lse:
    case QosClass::lsr:
      return qos.lsr;
    case QosClass::ls:
      return qos.ls;
    case QosClass::be:
      return qos.be;
    case QosClass::system:
      break;
  }
  return qos.system;
}

bool asks_itself(const MemoryQosOverride& own) {
  return own.policy == MemoryQosOverride::Policy::automatic || own.min_limit_percent ||
         own.low_limit_percent || own.throttling_percent || own.oom_kill_group;
}

}  // namespace

std::optional<MemoryTerms> memory_terms(const Pod& pod, const QosStrategy& qos) {
  const auto& own = pod.memory_qos;
  if (own.policy == MemoryQosOverride::Policy::none) return std::nullopt;
  const auto& of_class = class_of(qos, default_qos(pod)).memory;
  const bool class_is_on = of_class && of_class->enable;
  if (!class_is_on && !asks_itself(own)) return std::nullopt;
  MemoryTerms out;
  // "auto" is Koordinator's built-in table, in which the three of mainline kernels are zero.
  if (class_is_on && own.policy != MemoryQosOverride::Policy::automatic)
    out = {of_class->min_limit_percent.value_or(Percent{}), of_class->low_limit_percent.value_or(Percent{}),
           of_class->throttling_percent.value_or(Percent{}), of_class->oom_kill_group == 1};
  out.min = own.min_limit_percent.value_or(out.min);
  out.low = own.low_limit_percent.value_or(out.low);
  out.throttling = own.throttling_percent.value_or(out.throttling);
  if (own.oom_kill_group) out.oom_group = *own.oom_kill_group == 1;
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
