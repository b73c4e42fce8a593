// Network settings: bandwidth of classes and of pods, the addresses that a pod's packets carry, and the
// interface that leads out of the node. Does not know queues or packets.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/model/units.h"

namespace evenkeel {

/// A bandwidth: a percentage of the node's total, or bits per second.
struct Bandwidth {
  std::int64_t value = 0;
  bool is_percent = true;
  bool operator==(const Bandwidth&) const = default;
};

/// networkQOS of a class. A request of 0 guarantees nothing, a limit of 0 limits nothing.
struct NetworkQos {
  bool enable = false;
  Bandwidth ingress_request{}, ingress_limit{}, egress_request{}, egress_limit{};
};

/// koordinator.sh/networkQOS of a pod, within what its class has.
struct NetworkLimits {
  std::optional<Bandwidth> ingress{}, egress{};
  bool operator==(const NetworkLimits&) const = default;
};

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  ///< of IPv4 the first four
  bool v6 = false;
  auto operator<=>(const IpAddress&) const = default;
};

/// How a pod's packets are identified: by its own addresses, or, if it uses the node's, by its processes.
struct PodNetwork {
  bool of_host = false;
  std::vector<IpAddress> addresses{};
  NetworkLimits limits{};
  bool operator==(const PodNetwork&) const = default;
};

/// The interface of the default route.
struct NetworkLink {
  std::string name{};
  int index = 0;
  std::optional<BitRate> speed{};  ///< as reported by the device; virtual ones report none
  bool operator==(const NetworkLink&) const = default;
};

}  // namespace evenkeel
