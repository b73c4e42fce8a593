// Real processes in a pod's cgroups, for tests that kill them: each dies with the test at the latest.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/live/live_cgroups.h"

namespace evenkeel::test {

/// What a process does, besides using 2 MiB of memory.
enum class Manner : std::uint8_t {
  waits,      ///< exits on SIGTERM
  stubborn,   ///< ignores SIGTERM
  runs_away,  ///< forks and exits all the time: its pid changes every few milliseconds
  spins,      ///< uses all the CPU that it gets; exits on SIGTERM
};

class LiveProcess {
 public:
  /// In this cgroup below the top, for CPU, its accounting, memory, perf events and pressure. Returns once
  /// the process has joined and is set up.
  LiveProcess(LiveCgroups& cgroups, const std::string& cgroup, Manner manner);
  ~LiveProcess();
  LiveProcess(const LiveProcess&) = delete;
  LiveProcess& operator=(const LiveProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool alive();
  /// The signal that ended it within 20 s; 0: still running, or exited by itself.
  int ended_by();

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool reaped_ = false;
};

/// The processes that the kernel lists in a cgroup.
std::vector<int> processes_in(const LiveCgroups& cgroups, const std::string& cgroup);
/// Whether the cgroup becomes empty within 20 s.
bool empty_soon(const LiveCgroups& cgroups, const std::string& cgroup);

}  // namespace evenkeel::test
