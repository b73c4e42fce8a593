// A process in a cgroup and on one CPU that does what it is told, and the kernel's own count of how long it
// waited for that CPU.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "qos/model/units.h"
#include "tests/support/live/live_cgroups.h"

namespace evenkeel::test {

class PinnedTask {
 public:
  /// In top/`cgroup`, for CPU, memory, disks and perf events; returns once it is there. `work` runs for ever,
  /// or the process ends with it. `cpu` -1: anywhere.
  PinnedTask(const LiveCgroups& cgroups, const std::string& cgroup, int cpu,
             const std::function<void()>& work);
  ~PinnedTask();
  PinnedTask(const PinnedTask&) = delete;
  PinnedTask& operator=(const PinnedTask&) = delete;

  /// Empty: it is where it should be.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int cpu() const { return cpu_; }
  /// It has not ended, as it does when its work fails.
  [[nodiscard]] bool alive() const;
  /// It stops for good; returns once it has, so that counts stand still.
  void hold() const;
  /// Since it began, by /proc/PID/schedstat.
  [[nodiscard]] Duration waited() const { return scheduled().waited; }
  [[nodiscard]] Duration ran() const { return scheduled().ran; }

 private:
  struct Scheduled {
    Duration ran{}, waited{};
  };
  [[nodiscard]] Scheduled scheduled() const;
  pid_t pid_ = -1;
  int cpu_ = -1;
  std::string why_not_{};
};

/// Of a CPU, since boot: time that the host of this virtual machine gave to others, by /proc/stat, which is
/// told in hundredths of a second. schedstat leaves it out, clocks do not.
Duration stolen(int cpu);
/// Uses all the CPU that it gets.
[[noreturn]] void spin();
/// Uses the CPU for so long, then sleeps for so long, and again.
[[noreturn]] void work_and_rest(Duration work, Duration rest);

}  // namespace evenkeel::test
