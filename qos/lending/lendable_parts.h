// The terms of the lendable sums, gathered per resource, and the sums themselves, which are the same for CPU
// and memory, for the node and for one NUMA zone. Absent is unknown, never zero.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "qos/lending/lendable.h"

namespace evenkeel::lending {

enum class LendPolicy : std::uint8_t { usage, request, max_usage_request };

/// What one pod takes from batch. Pods of class batch and free take nothing.
struct PodCharge {
  const Pod* pod = nullptr;  ///< null: measured lately, but no longer among the pods ("dangling")
  bool prod = false;         ///< its requests are not free for mid either
  bool measured = false;
  Usage used{};       ///< policy usage
  Usage requested{};  ///< policy request
  Usage most{};       ///< policy maxUsageRequest
};
std::vector<PodCharge> charge_pods(const LendInput& input);

/// Terms of one resource: MilliCpu or Bytes. Memory is without the reserved huge pages wherever they count as
/// used, reserved or capacity: they cannot be lent.
template <class Q>
struct LendParts {
  std::optional<Q> capacity{};
  bool capacity_from_object = false;
  Percent margin_percent{};  ///< must not be lent; negative where more may be lent than there is
  Q margin{};
  Q kubelet{};    ///< capacity - allocatable
  Q annotated{};  ///< node.koordinator.sh/reservation
  std::optional<Q> system{};
  Q prod_applications{}, mid_applications{};     ///< host applications
  std::optional<Q> used{}, requested{}, most{};  ///< of the pods above batch
  std::optional<Q> prod_requested{};             ///< of the pods above mid
  std::optional<Q> node_used{};
  std::optional<Q> prod_reclaimable{};  ///< absent: what pods request is unknown
  LendPolicy policy = LendPolicy::usage;
  std::optional<Percent> batch_limit{};
  Percent mid_limit{}, mid_unallocated{};
  std::optional<Percent> mid_static{};  ///< mid is a fixed reserve
};
LendParts<MilliCpu> cpu_parts(const LendInput& input, const std::vector<PodCharge>& pods);
LendParts<Bytes> memory_parts(const LendInput& input, const std::vector<PodCharge>& pods);

/// lendable_terms.cpp: the lines for display.
std::vector<LendTerm> lend_terms(const LendInput& input, const std::vector<PodCharge>& pods,
                                 const LendParts<MilliCpu>& cpu, const LendParts<Bytes>& memory);

template <class Q>
Q reserved(const LendParts<Q>& parts) {
  return std::max(parts.kubelet, parts.annotated);
}

/// What the system and the host applications above `batch` use, at least what is reserved.
template <class Q>
std::optional<Q> system_or_reserved(const LendParts<Q>& parts) {
  if (!parts.system) return std::nullopt;
  const auto applications = clamped_sum(parts.prod_applications, parts.mid_applications);
  return std::max(clamped_sum(*parts.system, applications), reserved(parts));
}

/// What the policy subtracts for the system and for the pods.
template <class Q>
std::optional<Q> system_share(const LendParts<Q>& parts) {
  return parts.policy == LendPolicy::request ? reserved(parts) : system_or_reserved(parts);
}
template <class Q>
const std::optional<Q>& pods_share(const LendParts<Q>& parts) {
  if (parts.policy == LendPolicy::request) return parts.requested;
  return parts.policy == LendPolicy::usage ? parts.used : parts.most;
}

template <class Q>
std::optional<Q> batch_limit_of(const LendParts<Q>& parts) {
  if (!parts.capacity || !parts.batch_limit) return std::nullopt;
  return percent_of(*parts.capacity, *parts.batch_limit);
}

/// Absent: a required term is unknown.
template <class Q>
std::optional<Q> batch_of(const LendParts<Q>& parts) {
  const auto system = system_share(parts);
  const auto& pods = pods_share(parts);
  if (!parts.capacity || !system || !pods) return std::nullopt;
  auto rest = clamped_difference(*parts.capacity, parts.margin);
  rest = clamped_difference(clamped_difference(rest, *system), *pods);
  return std::max(std::min(rest, batch_limit_of(parts).value_or(rest)), Q{});
}

/// What no pod requests: the capacity without the system or its reservation.
template <class Q>
std::optional<Q> unallocated_of(const LendParts<Q>& parts) {
  if (!parts.capacity || !parts.system || !parts.prod_requested) return std::nullopt;
  const auto system = std::max(clamped_sum(*parts.system, parts.prod_applications), reserved(parts));
  const auto rest = clamped_difference(clamped_difference(*parts.capacity, system), *parts.prod_requested);
  return std::max(rest, Q{});
}

template <class Q>
std::optional<Q> unused_of(const LendParts<Q>& parts) {
  if (!parts.capacity || !parts.node_used) return std::nullopt;
  return clamped_difference(*parts.capacity, *parts.node_used);
}

/// What prod pods have requested and will not need, as far as the node does not use it now. If nothing can be
/// reclaimed, nothing is lent, whatever the node uses.
template <class Q>
std::optional<Q> reclaimable_of(const LendParts<Q>& parts) {
  if (!parts.prod_reclaimable) return std::nullopt;
  if (*parts.prod_reclaimable <= Q{}) return Q{};
  const auto unused = unused_of(parts);
  if (!unused) return std::nullopt;
  return std::max(std::min(*parts.prod_reclaimable, *unused), Q{});
}

template <class Q>
std::optional<Q> mid_of(const LendParts<Q>& parts) {
  if (!parts.capacity) return std::nullopt;
  const auto limit = percent_of(*parts.capacity, parts.mid_limit);
  if (parts.mid_static) return std::min(percent_of(*parts.capacity, *parts.mid_static), limit);
  const auto reclaimable = reclaimable_of(parts);
  const bool unneeded = parts.mid_unallocated == Percent{};
  const auto unallocated = unneeded ? Q{} : unallocated_of(parts);
  if (!reclaimable || !unallocated) return std::nullopt;
  return std::min(clamped_sum(*reclaimable, percent_of(*unallocated, parts.mid_unallocated)), limit);
}

}  // namespace evenkeel::lending
