// Measurements of tasks (waits, stalls, hardware counters), and the alarms between two ticks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel {

// An alarm that the kernel raises between two ticks because a task waits too long. Does not listen
// (collectors/ does).

enum class Contended : std::uint8_t { cpu, memory, io };
inline constexpr std::size_t kContendedCount = 3;
constexpr const char* name(Contended what) {
  constexpr const char* kNames[] = {"cpu", "memory", "io"};
  return kNames[static_cast<std::size_t>(what)];
}

/// The source of an alarm, and so what is known at once.
enum class AlarmSource : std::uint8_t {
  pressure,   ///< a pressure trigger: that a task waited, not what for
  run_queue,  ///< each wait and what had that CPU meanwhile: `waited` was for best effort, not because of a
              ///< quota
};
inline constexpr std::size_t kAlarmSourceCount = 2;
constexpr const char* name(AlarmSource source) {
  return source == AlarmSource::pressure ? "pressure" : "run-queue";
}

/// The source sets the first six; the agent adds what it reads at that moment.
struct Alarm {
  Contended what = Contended::cpu;
  AlarmSource source = AlarmSource::pressure;
  CgroupId victim{};  ///< none: the node as a whole
  MonoTime at{};      ///< when it was received
  Duration waited{};  ///< some task in it waited at least this long just now
  /// When the kernel raised it; absent: not given.
  std::optional<MonoTime> raised{};

  // "Lately" is since the tick before the last: between one tick's length and two. Absent: not known.
  std::optional<Duration> victim_stalled{};      ///< PSI some of the victim since its file was last read
  std::optional<Duration> victim_throttled{};    ///< lately, by quotas of its own, all its CPUs together
  std::optional<CpuTime> besteffort_cpu_time{};  ///< lately
  std::optional<Bytes> besteffort_memory{};      ///< in use now
};

// What the collectors measured of the tasks of each cgroup: hardware counters, waits for a CPU and stalls.
// Plain values.

/// Hardware counters of one container over one finished window, all CPUs together, scaled up to the time in
/// which its tasks ran.
struct CpuCounts {
  CgroupId cgroup{};
  Duration window{};                  ///< wall time
  std::optional<MilliCpu> cpu_use{};  ///< average over the window
  double counted_share = 1;  ///< counted time / run time; below 1 when counters were shared (multiplexing)
  std::int64_t cycles = 0, instructions = 0;       ///< both above zero, or there is no sample
  std::optional<std::int64_t> reference_cycles{};  ///< at constant frequency
  std::optional<std::int64_t> cache_misses{};      ///< of the last-level cache
  std::optional<std::int64_t> stalled_cycles{};    ///< cycles in which the CPU's back end waited

  /// Cycles per instruction.
  [[nodiscard]] double cpi() const { return per_instruction(cycles); }
  [[nodiscard]] double per_instruction(std::int64_t count) const {
    return static_cast<double>(count) / static_cast<double>(instructions);
  }
};

/// How hardware events are counted.
enum class CounterBackend : std::uint8_t {
  none,      ///< not requested or not possible: see `why`
  rotating,  ///< perf events of a few cgroups at a time
  per_cpu,   ///< perf events of each CPU, accounted to cgroups by a BPF program
};

struct CounterStatus {
  CounterBackend backend = CounterBackend::none;
  std::string why{};            ///< why nothing, or not everything, is counted; empty: all is counted
  std::size_t descriptors = 0;  ///< open now
  std::uint64_t windows = 0;    ///< finished since the start
  std::uint64_t dropped = 0;    ///< windows without a result: counted for less than half of the time
  bool operator==(const CounterStatus&) const = default;
};

/// Time that tasks of a cgroup spent stalled since the previous tick, summed over tasks; absent: not
/// measured.
struct TaskStalls {
  CgroupId cgroup{};
  std::optional<Duration> reclaim{};                         ///< in direct reclaim
  std::optional<Duration> block_io{};                        ///< asleep until a disk answered
  std::optional<std::int64_t> running{}, uninterruptible{};  ///< number of tasks now
};

/// Bucket i of the histogram counts waits of up to 2^i microseconds; the last one all longer waits.
inline constexpr std::size_t kWaitBuckets = 24;

/// Waits of the tasks of one cgroup from runnable to running.
struct RunQueueWait {
  CgroupId cgroup{};
  Duration waited{};                                    ///< since the previous tick, summed over tasks
  std::int64_t waits = 0;                               ///< since the previous tick
  std::array<std::uint64_t, kWaitBuckets> histogram{};  ///< since the cgroup is watched
};

/// Which cgroup had the CPU that a victim waited for.
struct WaitBlame {
  CgroupId victim{};
  CgroupId runner{};     ///< none: tasks outside all watched cgroups (system services, kernel threads)
  bool sibling = false;  ///< the runner had the other hardware thread of the core while the victim ran
  Duration time{};       ///< waited, or shared the core, since the previous tick
};

/// Sum of the blame of a victim that did not fit among the reported pairs, of which there is a fixed number
/// per tick (the longest). A runner without a pair caused at most `time`; if a victim has no remainder, a
/// runner without a pair caused nothing.
struct BlameRest {
  CgroupId victim{};
  bool sibling = false;    ///< as in WaitBlame
  std::int64_t pairs = 0;  ///< number of pairs summed; their runners are not known and may be the own pod
  Duration time{};         ///< since the previous tick, all pairs together
};

enum class RunQueueSource : std::uint8_t {
  none,       ///< not requested or not possible: see `why`
  schedstat,  ///< per-task sums of the kernel; without blame
  bpf,        ///< every wait and what ran meanwhile
};

struct RunQueue {
  RunQueueSource source = RunQueueSource::none;
  std::string why{};                          ///< why the source is no better; empty: it is the best
  std::vector<RunQueueWait> waits{};          ///< in the order of NodeSnapshot::cgroups
  std::vector<WaitBlame> blame{};             ///< by victim, longest first; bounded
  std::vector<BlameRest> blame_remainders{};  ///< by victim: pairs that did not fit into `blame`
  std::uint64_t merged_pairs = 0;             ///< pairs that went into a remainder, since the start
  std::uint64_t lost = 0;                     ///< waits that found no room in a BPF table, since the start
  bool alarms = false;                        ///< alarms for the brake are raised between two ticks
  std::string alarms_unavailable_reason{};    ///< why not, although the brake is on; empty: no problem
};

}  // namespace evenkeel
