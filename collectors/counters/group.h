// The counters of one cgroup on one CPU, as one group of perf events that is scheduled and read together.
// Does not decide what is counted or for how long.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cgroup/base/fd.h"
#include "cgroup/base/result.h"
#include "collectors/counters/events.h"

namespace evenkeel::counters {

/// What a group has counted so far. Times cover the cgroup's tasks running on this CPU.
struct GroupReading {
  std::uint64_t enabled_ns = 0;  ///< time that the tasks ran
  std::uint64_t running_ns = 0;  ///< part of it during which the counters were on the hardware
  Counts counts{};               ///< by CounterKind; zero where the event is not in the group
};

class CounterGroup {
 public:
  /// Starts counting. `cgroup` is a directory of the hierarchy with perf_event. Errors: ENOENT, EOPNOTSUPP
  /// (no such counter here), EACCES, EPERM (CAP_PERFMON), EINVAL (more events than counters), ENODEV (the CPU
  /// is offline), EMFILE.
  static Result<CounterGroup> open(int cgroup, int cpu, std::span<const CounterEvent> events);
  /// The same for everything that runs on that CPU. EACCES, EPERM: needs CAP_PERFMON, or a low
  /// kernel.perf_event_paranoid.
  static Result<CounterGroup> open_cpu(int cpu, std::span<const CounterEvent> events);
  /// The same for the calling thread on every CPU, to probe what the machine can count.
  static Result<CounterGroup> open_self(std::span<const CounterEvent> events);

  [[nodiscard]] Result<GroupReading> read() const;
  [[nodiscard]] std::size_t size() const { return size_; }  ///< events
  [[nodiscard]] int descriptor(std::size_t event) const { return descriptors_[event].get(); }
  [[nodiscard]] CounterKind what(std::size_t event) const { return what_[event]; }

 private:
  static Result<CounterGroup> open(int target, int cpu, unsigned long flags,
                                   std::span<const CounterEvent> events);
  std::array<Fd, kCountedKinds> descriptors_{};  ///< the first is the leader
  std::array<CounterKind, kCountedKinds> what_{};
  std::size_t size_ = 0;
};

}  // namespace evenkeel::counters
