// Hardware events, and the counters of one cgroup on one CPU as one group of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cgroup/base/result.h"

namespace evenkeel::counters {

// The hardware events that containers are counted by, encoded for perf_event_open(2). The only user of
// libpfm.

/// What may be counted, required events first. The members of CpuCounts have the same names.
enum class CounterKind : std::uint8_t {
  cycles,
  instructions,
  reference_cycles,
  cache_misses,
  stalled_cycles
};
inline constexpr std::size_t kCountedKinds = 5, kCountedAlways = 2;
using Counts = std::array<std::uint64_t, kCountedKinds>;

/// perf_event_attr's type and config of one event (perf_event_open(2)).
struct CounterEvent {
  CounterKind kind = CounterKind::cycles;
  std::uint32_t type = 0;
  std::uint64_t config = 0;
};
/// Counted together or not at all, so that their ratios are meaningful. The first leads.
using CounterEvents = std::vector<CounterEvent>;

/// The events as libpfm encodes them, in the order of CounterKind; a kind may have two, the better first.
/// Does not check whether this machine has them. An event unknown to libpfm is left out; if it is one of the
/// first two, that is an error.
Result<CounterEvents> encode_counter_events();

/// Its perf name ("cycles").
std::string_view name(CounterKind what);

// The counters of one cgroup on one CPU, as one group of perf events that is scheduled and read together.
// Does not decide what is counted or for how long.

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
