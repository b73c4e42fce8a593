// `evenkeel demo`: a real co-location experiment on this machine. A latency-sensitive service and best-effort
// hogs run in cgroups of their own, once alone, once as Kubernetes would leave them, once under the real
// agent. May not: touch any cgroup but its own.
#pragma once

#include <string>

namespace evenkeel::demo {

struct DemoOptions {
  int seconds = 4;          ///< measured length of one phase
  int rounds = 3;           ///< medians of the rounds are shown
  bool quick = false;       ///< one short round: shows that everything works, its figures mean little
  std::string json_file{};  ///< empty: no JSON
};

/// 0: the experiment ran and everything is restored, whatever the figures are. 1: it could not run, was
/// interrupted, or a value was left behind.
int run_demo(const DemoOptions& options);

}  // namespace evenkeel::demo
