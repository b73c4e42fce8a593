// Packet rules of many pods, each with two addresses and a limit of its own for what it receives.
#pragma once

#include <cstdint>

#include "cgroup/network/kernel_port.h"

namespace evenkeel::test {

inline network::PacketRules rules_of_pods(int count) {
  network::PacketRules out{.link = 1};
  for (int i = 0; i < count; ++i) {
    const auto high = static_cast<std::uint8_t>(i / 256), low = static_cast<std::uint8_t>(i % 256);
    network::PacketRule rule{.minor = static_cast<std::uint16_t>(0x100 + i), .own_limit = i};
    rule.address = {.bytes = {10, 244, high, low}};
    out.rules.push_back(rule);
    rule.address = {.bytes = {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, high, low}, .v6 = true};
    out.rules.push_back(rule);
    out.limits.emplace_back(8000000 + 8 * i);
  }
  return out;
}

}  // namespace evenkeel::test
