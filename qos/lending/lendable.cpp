#include "qos/lending/lendable.h"

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
  if (!reclaimable_of(parts)) return kNoNodeUse;
  return parts.system ? pods_lack(input) : kNoSystemUse;
}

template <class Q>
std::string unless(const std::optional<Q>& known, const char* why) {
  return known ? std::string() : std::string(why);
}

}  // namespace

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

}  // namespace evenkeel::lending
