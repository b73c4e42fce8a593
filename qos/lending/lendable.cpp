#include "qos/lending/lendable.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "qos/lending/lendable_parts.h"

namespace evenkeel::lending {

namespace {

constexpr const char* kNoCapacity = "the node's capacity is unknown";
constexpr const char* kNoSystemUse = "the system's use is unknown";
constexpr const char* kNoNodeUse = "the node's use is unknown";
constexpr const char* kNoPods = "the pods are unknown";
constexpr const char* kNoPodAmounts = "what pods known only from their cgroups request is unknown";

const char* pods_lack(const LendInput& input) { return input.pods_known ? kNoPodAmounts : kNoPods; }

/// Why batch_of() or mid_of() is absent: the first part that is missing.
template <class Q>
const char* batch_lacks(const LendInput& input, const LendParts<Q>& parts) {
  if (!parts.capacity) return kNoCapacity;
  return system_share(parts) ? pods_lack(input) : kNoSystemUse;
}
template <class Q>
const char* mid_lacks(const LendInput& input, const LendParts<Q>& parts) {
  if (!parts.capacity) return kNoCapacity;
  if (!parts.prod_reclaimable) return pods_lack(input);
  if (!reclaimable_of(parts)) return kNoNodeUse;
  return parts.system ? pods_lack(input) : kNoSystemUse;
}

template <class Q>
std::string unless(const std::optional<Q>& known, const char* why) {
  return known ? std::string() : std::string(why);
}

}  // namespace

std::optional<MilliCpu> normalized(std::optional<MilliCpu> batch_cpu, const NodeObject& object) {
  // The ratio has few decimals, so that it is exact as a fraction.
  constexpr std::int64_t kParts = 1'000'000;
  const auto& ratio = object.cpu_normalization_ratio;
  if (!batch_cpu || !ratio || *ratio <= 1.0) return batch_cpu;
  return MilliCpu(scaled_up(batch_cpu->count(), std::llround(*ratio * kParts), kParts));
}

Lendable lendable(const LendInput& input) {
  const auto pods = charge_pods(input);
  const auto cpu = cpu_parts(input, pods);
  const auto memory = memory_parts(input, pods);
  Lendable out{.batch_cpu = batch_of(cpu),
               .mid_cpu = mid_of(cpu),
               .batch_memory = batch_of(memory),
               .mid_memory = mid_of(memory),
               .terms = lend_terms(input, pods, cpu, memory)};
  out.lacks = {unless(out.batch_cpu, batch_lacks(input, cpu)),
               unless(out.batch_memory, batch_lacks(input, memory)),
               unless(out.mid_cpu, mid_lacks(input, cpu)), unless(out.mid_memory, mid_lacks(input, memory))};
  for (std::size_t i = 0; i < kLentCount; ++i) {
    if (out.lacks[i].empty()) continue;
    if (!out.unknown_reason.empty()) out.unknown_reason += "; ";
    out.unknown_reason += std::string(kLentNames[i]) + ": " + out.lacks[i];
  }
  return out;
}

namespace {

/// Thousandths of a byte: shares are rounded up at this grain, as Kubernetes quantities are.
using MilliBytes = Quantity<struct MilliBytesTag>;

MilliCpu fine(MilliCpu cpu) { return cpu; }
MilliBytes fine(Bytes bytes) { return MilliBytes(scaled(bytes.count(), 1000, 1)); }
MilliCpu coarse(MilliCpu cpu) { return cpu; }
Bytes coarse(MilliBytes memory) { return Bytes(memory.count() / 1000); }

template <class Q>
using Fine = decltype(fine(Q{}));

/// One of `count` equal shares of an amount that is not negative.
template <class F>
F share(F whole, std::size_t count) {
  const auto parts = static_cast<std::int64_t>(count);
  return F(whole.count() / parts + (whole.count() % parts > 0 ? 1 : 0));
}

/// The zones assigned to a pod, as far as they exist; all of them if it has none.
std::set<std::size_t> zones_of(const Pod* pod, std::size_t count) {
  std::set<std::size_t> out;
  if (pod != nullptr) {
    for (const int node : pod->numa_nodes) {
      if (node >= 0 && static_cast<std::size_t>(node) < count) out.insert(static_cast<std::size_t>(node));
    }
  }
  if (!out.empty()) return out;
  for (std::size_t zone = 0; zone < count; ++zone) out.insert(zone);
  return out;
}

/// The zone before any pod is charged to it.
template <class Q>
LendParts<Fine<Q>> empty_zone(const LendParts<Q>& node, Q capacity, std::size_t count) {
  LendParts<Fine<Q>> out;
  out.capacity = fine(capacity);
  out.margin = fine(percent_of(capacity, node.margin_percent));
  if (node.system) {
    const auto applications = clamped_sum(node.prod_applications, node.mid_applications);
    out.system = share(fine(clamped_sum(*node.system, applications)), count);
  }
  out.annotated = share(fine(reserved(node)), count);
  if (node.used) out.used.emplace();
  if (node.requested) out.requested.emplace();
  if (node.most) out.most.emplace();
  out.policy = node.policy;
  out.batch_limit = node.batch_limit;
  return out;
}

template <class F, class Q>
void add_share(std::optional<F>& sum, const std::optional<Q>& whole, std::size_t count) {
  if (sum && whole) sum = clamped_sum(*sum, share(fine(*whole), count));
}

template <class Q>
std::vector<std::optional<Q>> lend(const LendParts<Q>& node, const std::vector<PodCharge>& pods,
                                   const std::vector<Q>& capacities, std::optional<Q> Usage::*part) {
  std::vector<LendParts<Fine<Q>>> zones;
  zones.reserve(capacities.size());
  for (const auto capacity : capacities) zones.push_back(empty_zone(node, capacity, capacities.size()));
  for (const auto& pod : pods) {
    const auto given = zones_of(pod.pod, zones.size());
    for (const auto zone : given) {
      add_share(zones[zone].used, pod.used.*part, given.size());
      add_share(zones[zone].requested, pod.requested.*part, given.size());
      add_share(zones[zone].most, pod.most.*part, given.size());
    }
  }
  std::vector<std::optional<Q>> out;
  for (const auto& zone : zones) {
    const auto batch = batch_of(zone);
    out.push_back(batch ? std::optional<Q>(coarse(*batch)) : std::nullopt);
  }
  return out;
}

}  // namespace

ZoneLendables lendable_zones(const LendInput& input, const std::vector<Zone>& zones) {
  std::vector<MilliCpu> cpu;
  std::vector<Bytes> memory;
  for (const auto& zone : zones) {
    if (!zone.cpu || !zone.memory) return {{}, "the CPU and memory of a NUMA node are unknown"};
    cpu.push_back(*zone.cpu);
    memory.push_back(*zone.memory);
  }
  const auto pods = charge_pods(input);
  const auto batch_cpu = lend(cpu_parts(input, pods), pods, cpu, &Usage::cpu);
  const auto batch_memory = lend(memory_parts(input, pods), pods, memory, &Usage::memory);
  ZoneLendables out;
  for (std::size_t zone = 0; zone < zones.size(); ++zone) {
    out.zones.push_back({normalized(batch_cpu[zone], input.object), batch_memory[zone]});
  }
  const bool known = std::all_of(out.zones.begin(), out.zones.end(), [](const ZoneLendable& zone) {
    return zone.batch_cpu && zone.batch_memory;
  });
  if (!known) out.unknown_reason = lendable(input).unknown_reason;
  return out;
}

}  // namespace evenkeel::lending
