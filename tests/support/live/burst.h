// Batch work that begins and ends from one moment to the next: processes that spin, stopped and let go.
#pragma once

#include <signal.h>

#include <memory>
#include <vector>

#include "tests/support/live/live_pod.h"

namespace evenkeel::test {

class Burst {
 public:
  /// `count` processes in this cgroup, stopped.
  Burst(LiveCgroups& cgroups, const std::string& cgroup, int count);
  void begin() { signal(SIGCONT); }
  void end() { signal(SIGSTOP); }

 private:
  void signal(int number);
  std::vector<std::unique_ptr<LiveProcess>> processes_{};
};

}  // namespace evenkeel::test
