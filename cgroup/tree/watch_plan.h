// Plans which directories to watch, and for what: from the tree alone, before any system call. Does not
// watch.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cgroup/tree/tree.h"

namespace evenkeel::tree {

struct WatchRequest {
  CgroupId cgroup{};                 ///< none: a directory above the known cgroups
  bool births = false;               ///< any directory created or removed in it
  std::vector<std::string> names{};  ///< directories of these names created or removed in it
  bool operator==(const WatchRequest&) const = default;
};

struct WatchPlan {
  std::string dir{};  ///< relative to the host root
  WatchRequest wish{};
};

/// Parents before children in each hierarchy.
std::vector<WatchPlan> plan_watches(const CgroupTree& tree);

/// Whether a file of this name holds a setting that policies or the sampler read back. All other changes
/// (statistics, events, processes that start and exit) are ignored.
bool is_setting(std::string_view file);

}  // namespace evenkeel::tree
