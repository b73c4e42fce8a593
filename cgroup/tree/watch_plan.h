// Which directories are worth watching, and for what: from the tree alone, before any system call.
// May not: watch.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cgroup/tree/tree.h"

namespace evenkeel::tree {

struct WatchRequest {
  CgroupId cgroup{};                 ///< none: a directory above ours
  bool births = false;               ///< any directory that comes or goes in it
  std::vector<std::string> names{};  ///< directories of these names that come or go in it
  bool operator==(const WatchRequest&) const = default;
};

struct WatchPlan {
  std::string dir{};  ///< relative to the host root
  WatchRequest wish{};
};

/// Parents before children in each hierarchy.
std::vector<WatchPlan> plan_watches(const CgroupTree& tree);

/// Whether a file of this name holds a setting that policies or the sampler read back. All else that changes
/// (statistics, events, processes that come and go) is noise.
bool is_setting(std::string_view file);

}  // namespace evenkeel::tree
