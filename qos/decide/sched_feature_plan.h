// Which features of the kernel's scheduler must be on or off; the names are the kernel's and free text here.
// Does not know which of them this kernel has.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace evenkeel::decide {

struct SchedFeaturePlan {
  std::uint8_t by = 0;  ///< the policy, by its position in the registry
  /// From the NodeSLO of this tick; null: none are configured.
  const std::map<std::string, bool>* wanted = nullptr;
};

}  // namespace evenkeel::decide
