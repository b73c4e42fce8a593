// What pods may claim by their own labels and annotations, and whom the operator trusts with it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel {

/// What a pod takes from others, or from the operator's rules, by words of its own owner.
enum class Claim : std::uint8_t {
  hands_off,
  eviction_policy,
  cache,
  cpus,
  disk_latency,
  cpu_burst,
  core_sched_group,
  memory,
  group_identity
};
/// As a NodeSLO spells them, in the order of Claim.
inline constexpr std::array<const char*, 9> kClaims = {
    "hands-off", "eviction-policy",  "cache",  "cpus",          "disk-latency",
    "cpu-burst", "core-sched-group", "memory", "group-identity"};

/// An entry of extensions.evenkeel.trust: pods that fit all that is given may make these claims. It looks
/// only at what a tenant cannot choose freely: labels do not count.
struct TrustRule {
  std::vector<std::string> namespaces{};  ///< one of them; empty: any
  std::vector<std::string> kube_qos{};    ///< one of Kubernetes' own QoS classes; empty: any
  std::optional<std::int64_t>
      min_priority{};                 ///< spec.priority, which the API server sets from a PriorityClass
  std::vector<std::string> claims{};  ///< of kClaims
};

}  // namespace evenkeel
