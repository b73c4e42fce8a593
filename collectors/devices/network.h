// Finds the interface of the default route from the routing tables and sysfs. Reads nothing else about the
// network.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cgroup/base/host.h"
#include "qos/model/network.h"

namespace evenkeel::devices {

/// One line of /proc/net/route or /proc/net/ipv6_route.
struct DefaultRoute {
  std::string_view link{};
  std::uint32_t metric = 0;
};
/// Absent: the line is not a usable default route.
std::optional<DefaultRoute> read_route(std::string_view line);
std::optional<DefaultRoute> read_route6(std::string_view line);

/// The interface of the default route with the lowest metric, IPv4 before IPv6; false if there is none.
/// `path` is scratch space; while it and `out` are kept, an unchanged interface allocates nothing.
bool read_link(const Host& host, std::span<char> buffer, std::string& path, NetworkLink& out);

}  // namespace evenkeel::devices
