// What an agent on a live test's cgroups is called with: it is configured by nodeslo.yaml in the test's
// directory and keeps its state there. May not: start it.
#pragma once

#include <string>
#include <vector>

#include "tests/support/live/live_cgroups.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {

/// Instead of the list of pods in pods.yaml, which is in the test's directory too.
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
