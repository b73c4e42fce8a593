// A process in a cgroup and on one CPU that does a given work, and the kernel's count of how long it waited
// for that CPU.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "qos/model/units.h"
#include "tests/support/live/live_cgroups.h"

namespace evenkeel::test {

class PinnedTask {
 public:
  /// In top/`cgroup`, for CPU, memory, disks and perf events; returns once it is there. The process exits
  /// when `work` returns. `cpu` -1: any.
  PinnedTask(const LiveCgroups& cgroups, const std::string& cgroup, int cpu,
             const std::function<void()>& work);
  ~PinnedTask();
  PinnedTask(const PinnedTask&) = delete;
  PinnedTask& operator=(const PinnedTask&) = delete;

  /// Why it is not running there; empty: it is.
  [[nodiscard]] const std::string& why_not() const { return unavailable_reason_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int cpu() const { return cpu_; }
  /// False after its work has failed and it exited.
  [[nodiscard]] bool alive() const;
  /// Stops it for good; returns once it has stopped, so that its counts stay fixed.
  void hold() const;
  /// Since its start, from /proc/PID/schedstat.
  [[nodiscard]] Duration waited() const { return scheduled().waited; }
  [[nodiscard]] Duration ran() const { return scheduled().ran; }

 private:
  struct Scheduled {
    Duration ran{}, waited{};
  };
  [[nodiscard]] Scheduled scheduled() const;
  pid_t pid_ = -1;
  int cpu_ = -1;
  std::string unavailable_reason_{};
};

/// A CPU's steal time since boot, from /proc/stat in hundredths of a second. schedstat excludes it, clocks do
/// not.
Duration stolen(int cpu);
/// Uses all the CPU that it gets.
[[noreturn]] void spin();
/// A child process that enters the cgroup of this cgroup.procs file and spins. The caller ends it.
pid_t busy_process(const std::string& procs);
/// Uses the CPU for `work`, then sleeps for the other time, and repeats.
[[noreturn]] void work_and_rest(Duration work, Duration rest);

}  // namespace evenkeel::test
