// Probes what this kernel and this machine can do, by reading and by trying, never by version numbers. Leaves
// nothing behind. Does not decide how to use it.
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
  std::string detail{};      ///< what was found, for operators ("shortest window 2000 ms"); may be empty
};

/// One row per feature, in a fixed order. Slow (milliseconds): called at start, and on an operator's request.
std::vector<Capability> probe(const Host& host, const tree::CgroupTree& tree);

}  // namespace evenkeel::features
