// The network plan: classes with their guaranteed and maximum rates, and which pods' packets belong to which.
// Keeps its memory from tick to tick. Does not know queues or packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "qos/model/ids.h"
#include "qos/model/network.h"

namespace evenkeel::decide {

/// The lowest rate of any class: the kernel's queues need more than zero.
inline constexpr BitRate kLeastNetworkRate{8000};

/// In the order in which they are served while bandwidth is left beyond the guarantees.
enum class NetworkClass : std::uint8_t { system, lsr, ls, be };
inline constexpr std::size_t kNetworkClasses = 4;
inline constexpr std::array<const char*, kNetworkClasses> kNetworkClassNames = {"system", "lsr", "ls", "be"};

struct NetworkShare {
  BitRate egress_request{}, egress_limit{};
  std::optional<BitRate> ingress_limit{};  ///< absent: unlimited
  bool operator==(const NetworkShare&) const = default;
};

struct NetworkMember {
  CgroupId cgroup{};
  NetworkClass of = NetworkClass::system;
  bool by_cgroup = false;  ///< it has the node's addresses: its packets are matched by process
  std::span<const IpAddress> addresses{};
  std::optional<BitRate> egress_limit{}, ingress_limit{};  ///< its own
};

struct NetworkPlan {
  enum class State : std::uint8_t {
    off,   ///< no policy needs it: our queues are removed
    hold,  ///< not enough is known: our queues stay as they are
    on
  };
  State state = State::off;
  std::uint8_t by = 0;       ///< the policy, by its position in the registry
  const char* why_not = "";  ///< hold: what is missing, if worth reporting
  const NetworkLink* link = nullptr;
  BitRate total{};
  std::array<NetworkShare, kNetworkClasses> classes{};
  std::vector<NetworkMember> members{};

  void clear() {
    state = State::off;
    why_not = "";
    link = nullptr;
    members.clear();
  }
};

}  // namespace evenkeel::decide
