// Batch load that starts and stops at once: spinning processes, paused by SIGSTOP and resumed by SIGCONT.
#pragma once

#include <signal.h>

#include <memory>
#include <vector>

#include "tests/support/live/live_pod.h"

namespace evenkeel::test {

class Burst {
 public:
  /// Creates `count` processes in this cgroup, stopped.
  Burst(LiveCgroups& cgroups, const std::string& cgroup, int count);
  void begin() { signal(SIGCONT); }
  void end() { signal(SIGSTOP); }

 private:
  void signal(int number);
  std::vector<std::unique_ptr<LiveProcess>> processes_{};
};

}  // namespace evenkeel::test
