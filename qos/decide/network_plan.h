// Who shares the node's network how: the classes with what each is guaranteed and may take, and whose packets
// are of which. Keeps its memory from tick to tick. May not: know queues or packets.
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

/// Nobody is given less: the kernel's queues want more than nothing.
inline constexpr BitRate kLeastNetworkRate{8000};

/// In the order in which they are served while there is something left beyond what is guaranteed.
enum class NetworkClass : std::uint8_t { system, lsr, ls, be };
inline constexpr std::size_t kNetworkClasses = 4;
inline constexpr std::array<const char*, kNetworkClasses> kNetworkClassNames = {"system", "lsr", "ls", "be"};

struct NetworkShare {
  BitRate egress_request{}, egress_limit{};
  std::optional<BitRate> ingress_limit{};  ///< absent: whatever comes
  bool operator==(const NetworkShare&) const = default;
};

struct NetworkMember {
  CgroupId cgroup{};
  NetworkClass of = NetworkClass::system;
  bool by_cgroup = false;  ///< it has the node's addresses: its processes tell
  std::span<const IpAddress> addresses{};
  std::optional<BitRate> egress_limit{}, ingress_limit{};  ///< its own
};

struct NetworkPlan {
  enum class State : std::uint8_t {
    off,   ///< nobody asks: what we have made goes
    hold,  ///< not enough is known: what we have made stays as it is
    on
  };
  State state = State::off;
  std::uint8_t by = 0;       ///< the policy, by its position in the registry
  const char* why_not = "";  ///< hold: what is missing, if that is worth telling
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
