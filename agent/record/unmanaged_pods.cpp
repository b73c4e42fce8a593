#include "agent/record/unmanaged_pods.h"

#include <algorithm>

namespace evenkeel::record {

void UnmanagedPodsLog::log_changes(const std::vector<tree::UnknownDir>& dirs, runtime::Log& log) {
  std::erase_if(told_, [&](const std::string& path) {
    const auto dir = std::ranges::find(dirs, path, &tree::UnknownDir::path);
    if (dir != dirs.end() && dir->holds_pods) return false;
    log.info("unmanaged-pods-gone").with("cgroup", path);
    return true;
  });
  for (const auto& dir : dirs) {
    if (!dir.holds_pods || std::ranges::find(told_, dir.path) != told_.end()) continue;
    log.warning("unmanaged-pods").with("cgroup", dir.path).with("why", kUnmanagedPods);
    told_.push_back(dir.path);
  }
}

}  // namespace evenkeel::record
