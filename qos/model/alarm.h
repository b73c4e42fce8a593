// An alarm that the kernel raises between two ticks because a task waits too long. Does not listen
// (collectors/ does).
#pragma once

#include <cstdint>
#include <optional>

#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel {

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

}  // namespace evenkeel
