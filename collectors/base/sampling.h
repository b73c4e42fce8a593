// Options of the sampler and what it reports about itself. Plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "qos/model/snapshot.h"

namespace evenkeel::collectors {

struct SamplerOptions {
  std::size_t descriptor_limit = 0;  ///< how many files may stay open; 0: use getrlimit and leave a reserve
  bool settings_every_tick = false;  ///< re-read settings each tick, for trees that give no change events
  /// Read each tick what is otherwise read every second tick (cpu and memory pressure) or every fifth
  /// (memory.stat, memory events, io pressure).
  bool slow_files_every_tick = false;
};

struct SamplerHealth {
  std::size_t descriptors_needed = 0;   ///< to keep every file open
  std::size_t descriptors_kept = 0;     ///< files that may stay open
  std::size_t files_reopened = 0;       ///< files that are reopened for each read: needed - kept
  std::vector<std::string> disabled{};  ///< collectors that are off, "name: reason", as of the last follow()
};

/// Use of one cgroup between two ticks. Absent: unknown.
struct RecentUse {
  std::optional<CpuTime> cpu_time{};       ///< since the tick before the last
  std::optional<Throttling> throttling{};  ///< over the same time
  std::optional<Bytes> memory{};           ///< in use
  std::optional<Duration>
      total_stall{};  ///< time spent waiting for a CPU since the cgroup was created (PSI some)
};

/// One file that a tick reads, for measuring the cost of reading it alone.
struct SamplerRead {
  std::string path{};  ///< relative to the host root
  int every = 1;       ///< ticks between two readings
};

}  // namespace evenkeel::collectors
