// What was asked of one server since the start.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace evenkeel {

struct KubeTraffic {
  std::string server{};                     ///< "kubelet", "api"
  std::map<int, std::uint64_t> requests{};  ///< by status; 0: no complete answer
  std::uint64_t bytes_in = 0, bytes_out = 0;
};

}  // namespace evenkeel
