// Real processes in the cgroups of a pod, for tests that end them: each dies with the test at the latest.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/live/live_cgroups.h"

namespace evenkeel::test {

/// What a process does, beside holding two mebibytes.
enum class Manner : std::uint8_t {
  waits,      ///< ends at SIGTERM
  stubborn,   ///< ignores SIGTERM
  runs_away,  ///< forks all the time and ends itself: its number changes every few milliseconds
  spins,      ///< uses all the CPU that it gets; ends at SIGTERM
};

class LiveProcess {
 public:
  /// In this cgroup below the top, for CPU, its accounting, memory, perf events and pressure. Returns once it
  /// is there and has set up what it does.
  LiveProcess(LiveCgroups& cgroups, const std::string& cgroup, Manner manner);
  ~LiveProcess();
  LiveProcess(const LiveProcess&) = delete;
  LiveProcess& operator=(const LiveProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool alive();
  /// The signal that ended it, within 20 s; 0: it lives, or ended by itself.
  int ended_by();

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool reaped_ = false;
};

/// Who is in a cgroup, by the kernel's word.
std::vector<int> processes_in(const LiveCgroups& cgroups, const std::string& cgroup);
/// Within 20 s.
bool empty_soon(const LiveCgroups& cgroups, const std::string& cgroup);

}  // namespace evenkeel::test
