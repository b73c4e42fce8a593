// The command line of an agent on a live test's cgroups, configured by nodeslo.yaml in the test's directory,
// where it also keeps its state. Does not start it.
#pragma once

#include <string>
#include <vector>

#include "tests/support/live/live_cgroups.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {

/// Instead of the pod list pods.yaml, which is also in the test's directory.
inline constexpr const char *kPodsByCgroup = "cgroup", *kNoPods = "none";

/// For a SteppedAgent.
inline std::vector<std::string> stepped_args(const LiveCgroups& cgroups, const StateDir& dir,
                                             const std::string& pods = {}) {
  return {"--cgroup-root", cgroups.top(),
          "--nodeslo",     dir.path + "/nodeslo.yaml",
          "--pods",        pods.empty() ? "file:" + dir.path + "/pods.yaml" : pods,
          "--state-dir",   dir.path + "/state"};
}

/// For a LiveAgent.
inline std::vector<std::string> live_args(const LiveCgroups& cgroups, const StateDir& dir,
                                          const std::string& interval, const std::string& pods = {}) {
  auto args = stepped_args(cgroups, dir, pods);
  args.insert(args.end(), {"--listen", "none", "--interval", interval});
  return args;
}

}  // namespace evenkeel::test
