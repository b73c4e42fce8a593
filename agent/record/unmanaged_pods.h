// Logs that there are pods which the agent does not manage, since they are in a directory of kubepods whose
// layout it does not know: once when they appear, once when they are gone. Does not look for them.
#pragma once

#include <string>
#include <vector>

#include "agent/runtime/log.h"
#include "cgroup/tree/tree.h"

namespace evenkeel::record {

/// What is said of such a directory, wherever it is named.
inline constexpr const char* kUnmanagedPods =
    "pods in this directory are not managed, and what they use counts as the system's";

class UnmanagedPodsLog {
 public:
  /// After each tick. Allocates only when it logs.
  void log_changes(const std::vector<tree::UnknownDir>& dirs, runtime::Log& log);

 private:
  std::vector<std::string> told_{};  ///< the paths of those that hold pods
};

}  // namespace evenkeel::record
