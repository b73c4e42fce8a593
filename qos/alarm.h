// The kernel says between two ticks that somebody waits too much. May not: listen (collectors/ does).
#pragma once

#include <cstdint>
#include <optional>

#include "qos/ids.h"
#include "qos/units.h"

namespace evenkeel {

enum class Contended : std::uint8_t { cpu, memory, io };
inline constexpr std::size_t kContendedCount = 3;
constexpr const char* name(Contended what) {
  constexpr const char* kNames[] = {"cpu", "memory", "io"};
  return kNames[static_cast<std::size_t>(what)];
}

/// Whoever raises one sets the first four; the agent adds what it reads at that moment.
struct Alarm {
  Contended what = Contended::cpu;
  CgroupId victim{};  ///< none: the node as a whole
  MonoTime at{};
  Duration waited{};  ///< somebody in it waited at least so long just now

  // "Lately" is since the tick before the last: between one tick's length and two. Absent: not known.
  std::optional<Duration> victim_stalled{};    ///< PSI some of the victim since its file was last read
  std::optional<Duration> victim_throttled{};  ///< lately, by quotas of its own, all its CPUs together
  std::optional<CpuTime> besteffort_ran{};     ///< lately
  std::optional<Bytes> besteffort_memory{};    ///< in use now
};

}  // namespace evenkeel
