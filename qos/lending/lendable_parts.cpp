#include "qos/lending/lendable_parts.h"

#include <string_view>
#include <unordered_map>

#include "qos/model/capacity.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::lending {
namespace {

bool above_batch(PriorityClass priority) {
  return priority == PriorityClass::prod || priority == PriorityClass::mid;
}

/// Prod, mid and what has no class (which only a measurement without a pod can have).
bool takes_from_batch(PriorityClass priority) {
  return priority != PriorityClass::batch && priority != PriorityClass::free;
}

Usage requests_of(const Pod& pod) {
  if (pod.from_cgroup_only) return {};
  const auto requests = pod_requests(pod);
  return {requests.cpu.value_or(MilliCpu{}), requests.memory.value_or(Bytes{})};
}

template <class Q>
std::optional<Q> larger(const std::optional<Q>& a, const std::optional<Q>& b) {
  if (!a || !b) return std::nullopt;
  return std::max(*a, *b);
}

/// A pod that is not measured yet is charged with its requests, in Koordinator's maxUsageRequest too (which
/// counts it as nothing on the node, but not in a NUMA zone).
PodCharge charge(const Pod& pod, const PodUsage* measured) {
  PodCharge out;
  out.pod = &pod;
  out.prod = default_priority_class(pod) != PriorityClass::mid;
  out.measured = measured != nullptr;
  out.requested = requests_of(pod);
  auto usage = measured != nullptr ? measured->usage : Usage{};
  if (!usage.cpu) usage.cpu = out.requested.cpu;
  if (!usage.memory) usage.memory = out.requested.memory;
  out.used = usage;
  if (default_qos(pod) == QosClass::lse) out.used.cpu = out.requested.cpu;  // its CPUs are exclusive
  out.most = {larger(usage.cpu, out.requested.cpu), larger(usage.memory, out.requested.memory)};
  return out;
}

PodCharge dangling(const PodUsage& measured) {
  PodCharge out;
  out.measured = true;
  out.used = {measured.usage.cpu.value_or(MilliCpu{}), measured.usage.memory.value_or(Bytes{})};
  out.most = out.used;
  out.requested = {MilliCpu{}, Bytes{}};
  return out;
}

template <class Q>
using Part = std::optional<Q> Usage::*;

template <class Q>
std::optional<Q> sum(const std::vector<PodCharge>& pods, Usage PodCharge::*amount, Part<Q> part,
                     bool only_prod = false) {
  Q total{};
  for (const auto& pod : pods) {
    if (only_prod && !pod.prod) continue;
    const auto& one = (pod.*amount).*part;
    if (!one) return std::nullopt;
    total = clamped_sum(total, *one);
  }
  return total;
}

template <class Q>
void add_usage(LendParts<Q>& out, Part<Q> part, const LendInput& input) {
  out.system = input.usage.system.*part;
  out.node_used = input.usage.node.*part;
  if (input.pods_known && names_pods(input.pods))
    out.prod_reclaimable = input.prod_reclaimable ? ((*input.prod_reclaimable).*part).value_or(Q{}) : Q{};
  for (const auto& application : input.usage.host_applications) {
    if (!above_batch(application.priority_class)) continue;
    const auto& used = application.usage.*part;
    if (!used) out.system.reset();
    auto& sum_of_class =
        application.priority_class == PriorityClass::prod ? out.prod_applications : out.mid_applications;
    sum_of_class = clamped_sum(sum_of_class, used.value_or(Q{}));
  }
}

template <class Q>
void add_pods(LendParts<Q>& out, Part<Q> part, const std::vector<PodCharge>& pods) {
  out.used = sum(pods, &PodCharge::used, part);
  out.requested = sum(pods, &PodCharge::requested, part);
  out.most = sum(pods, &PodCharge::most, part);
  out.prod_requested = sum(pods, &PodCharge::requested, part, true);
}

/// Whether the Node object's capacity is the one that counts.
template <class Q>
bool is_said_by(const std::optional<Q>& of_object, const std::optional<Q>& of_kernel) {
  return of_object && (!of_kernel || *of_object <= *of_kernel);
}

template <class Q>
void set_margin(LendParts<Q>& out, Percent reclaim_threshold) {
  out.margin_percent = Percent(100) - reclaim_threshold;
  if (out.capacity) out.margin = percent_of(*out.capacity, out.margin_percent);
}

/// The kernel counts the pools as used, the kubelet subtracts them from allocatable: they leave every side of
/// the sum, else they would be subtracted twice, or lent.
void without_huge_pages(LendParts<Bytes>& out, const std::optional<NodeMemory>& memory) {
  if (!memory) return;
  const auto less = [&](Bytes value) {
    return std::max(clamped_difference(value, memory->hugepages), Bytes{});
  };
  if (out.system) out.system = less(*out.system);
  if (out.node_used) out.node_used = less(*out.node_used);
  out.kubelet = less(out.kubelet);
}

LendPolicy policy_named(const std::string& name) {
  if (name == "maxUsageRequest") return LendPolicy::max_usage_request;
  return name == "request" ? LendPolicy::request : LendPolicy::usage;
}

}  // namespace

bool names_pods(const std::vector<Pod>& pods) {
  return pods.empty() || std::ranges::any_of(pods, [](const Pod& pod) { return !pod.from_cgroup_only; });
}

std::vector<PodCharge> charge_pods(const LendInput& input) {
  std::unordered_map<std::string_view, const PodUsage*> measured;
  for (const auto& pod : input.usage.pods) measured.emplace(pod.uid, &pod);
  std::vector<PodCharge> out;
  for (const auto& pod : input.pods) {
    if (!is_active(pod)) continue;
    const auto found = measured.find(pod.uid);
    const auto* usage = found == measured.end() ? nullptr : found->second;
    if (usage != nullptr) measured.erase(found);
    if (takes_from_batch(default_priority_class(pod))) out.push_back(charge(pod, usage));
  }
  for (const auto& pod : input.usage.pods) {
    if (measured.count(pod.uid) > 0 && takes_from_batch(pod.priority_class)) out.push_back(dangling(pod));
  }
  return out;
}

LendParts<MilliCpu> cpu_parts(const LendInput& input, const std::vector<PodCharge>& pods) {
  const auto& strategy = input.strategy;
  LendParts<MilliCpu> out;
  if (const auto capacity = cpu_capacity(input.object, input.node); capacity > MilliCpu{})
    out.capacity = capacity;
  out.capacity_from_object = is_said_by(input.object.cpu_capacity, out.capacity);
  out.annotated = input.object.reserved_cpu.value_or(MilliCpu{});
  out.kubelet = kubelet_reserved_cpu(input.object, input.node);
  add_usage(out, &Usage::cpu, input);
  if (input.pods_known) add_pods(out, &Usage::cpu, pods);
  set_margin(out, strategy.cpu_reclaim_threshold_percent);
  out.policy = policy_named(strategy.cpu_calculate_policy);
  if (out.policy == LendPolicy::request) out.policy = LendPolicy::usage;  // of memory only
  out.batch_limit = strategy.batch_cpu_threshold_percent;
  out.mid_limit = strategy.mid_cpu_threshold_percent;
  out.mid_unallocated = strategy.mid_unallocated_percent;
  if (strategy.mid_reclaim_mode == "static") out.mid_static = strategy.mid_static_cpu_reserved_percent;
  return out;
}

LendParts<Bytes> memory_parts(const LendInput& input, const std::vector<PodCharge>& pods) {
  const auto& strategy = input.strategy;
  LendParts<Bytes> out;
  out.capacity = memory_capacity(input.object, input.node);
  std::optional<Bytes> total;
  if (input.node.memory && input.node.memory->total > Bytes{}) total = input.node.memory->total;
  out.capacity_from_object = is_said_by(input.object.memory_capacity, total);
  out.annotated = input.object.reserved_memory.value_or(Bytes{});
  out.kubelet = kubelet_reserved_memory(input.object, input.node);
  add_usage(out, &Usage::memory, input);
  without_huge_pages(out, input.node.memory);
  if (input.pods_known) add_pods(out, &Usage::memory, pods);
  set_margin(out, strategy.memory_reclaim_threshold_percent);
  out.policy = policy_named(strategy.memory_calculate_policy);
  out.batch_limit = strategy.batch_memory_threshold_percent;
  out.mid_limit = strategy.mid_memory_threshold_percent;
  out.mid_unallocated = strategy.mid_unallocated_percent;
  if (strategy.mid_reclaim_mode == "static") out.mid_static = strategy.mid_static_memory_reserved_percent;
  return out;
}

}  // namespace evenkeel::lending
