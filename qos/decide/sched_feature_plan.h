// Which features of the kernel's scheduler are to be on or off; their names are the kernel's and free text
// here. May not: know which of them this kernel has.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace evenkeel::decide {

struct SchedFeaturePlan {
  std::uint8_t by = 0;  ///< the policy, by its position in the registry
  /// Of the NodeSLO of this tick; null: nobody asks for any.
  const std::map<std::string, bool>* wanted = nullptr;
};

}  // namespace evenkeel::decide
