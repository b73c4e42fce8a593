// What hardware counters counted of a container while its tasks ran. May not: count (collectors/ does).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel {

/// One finished window of one container, all CPUs together, scaled up to the time in which it ran.
struct CpuCounts {
  CgroupId cgroup{};
  Duration window{};                  ///< wall time
  std::optional<MilliCpu> cpu_use{};  ///< on average during the window
  double counted_share =
      1;  ///< of the time it ran: less than 1 when counters had to be shared (multiplexing)
  std::int64_t cycles = 0, instructions = 0;       ///< both above zero: a window without either is no sample
  std::optional<std::int64_t> reference_cycles{};  ///< at constant frequency: what cycles hides, these show
  std::optional<std::int64_t> cache_misses{};      ///< of the last level
  std::optional<std::int64_t> stalled_cycles{};    ///< the back end waited

  /// Cycles per instruction.
  [[nodiscard]] double cpi() const { return per_instruction(cycles); }
  [[nodiscard]] double per_instruction(std::int64_t count) const {
    return static_cast<double>(count) / static_cast<double>(instructions);
  }
};

/// How they are counted.
enum class CounterBackend : std::uint8_t {
  none,      ///< not asked for, or not possible: see `why`
  rotating,  ///< perf events of a few cgroups at a time
  per_cpu,   ///< perf events of each CPU, accounted to cgroups by a BPF program
};

struct CounterStatus {
  CounterBackend backend = CounterBackend::none;
  std::string why{};            ///< there are no counts, or not all: in words; empty: nothing is amiss
  std::size_t descriptors = 0;  ///< held at this moment
  std::uint64_t windows = 0;    ///< finished since the start
  std::uint64_t dropped = 0;    ///< of those without a result: counted for less than half of the time
  bool operator==(const CounterStatus&) const = default;
};

}  // namespace evenkeel
