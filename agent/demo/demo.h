// `evenkeel demo`: a real co-location experiment on this machine. A latency-sensitive service and best-effort
// hogs run in their own cgroups: the service alone, both with Kubernetes' settings, both under the real
// agent. Does not touch any other cgroup.
#pragma once

#include <string>

namespace evenkeel::demo {

struct DemoOptions {
  int seconds = 4;          ///< measured length of one phase, in seconds
  int rounds = 3;           ///< medians of the rounds are shown
  bool quick = false;       ///< one short round: a smoke test, its figures mean little
  std::string json_file{};  ///< empty: no JSON
};

/// 0: the experiment ran and everything is restored, whatever the figures. 1: it could not run, was
/// interrupted, or a value was not restored.
int run_demo(const DemoOptions& options);

}  // namespace evenkeel::demo
