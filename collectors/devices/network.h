// The interface that leads out of the node, from the routing tables and sysfs. May not: ask for anything else
// of the network.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cgroup/base/host.h"
#include "qos/model/network.h"

namespace evenkeel::devices {

/// Of one line of /proc/net/route or /proc/net/ipv6_route.
struct DefaultRoute {
  std::string_view link{};
  std::uint32_t metric = 0;
};
/// Absent: the line is no usable default route.
std::optional<DefaultRoute> read_route(std::string_view line);
std::optional<DefaultRoute> read_route6(std::string_view line);

/// The interface of the default route with the lowest metric, IPv4 before IPv6; absent: there is none. `path`
/// is room to work in; with it and `out` kept, an interface that stays allocates nothing.
bool read_link(const Host& host, std::span<char> buffer, std::string& path, NetworkLink& out);

}  // namespace evenkeel::devices
