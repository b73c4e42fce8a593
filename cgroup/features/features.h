// What this kernel and this machine can do, found out by looking and by trying, never by version numbers.
// Leaves nothing behind. May not: decide what to do about it.
#pragma once

#include <string>
#include <vector>

#include "cgroup/tree/tree.h"

namespace evenkeel::features {

struct Capability {
  std::string feature{};
  bool works = false;
  std::string why_not{};     ///< empty when it works
  std::string substitute{};  ///< what is used instead; empty: nothing
  std::string detail{};      ///< what was found, for people ("shortest window 2000 ms"); may be empty
};

/// In a fixed order, one row per feature. Slow (milliseconds): at start, and when a person asks.
std::vector<Capability> probe(const Host& host, const tree::CgroupTree& tree);

}  // namespace evenkeel::features
