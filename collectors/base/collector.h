// The interfaces of a collector and of the event loop that waits on its alarms; the options of the sampler
// that runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/tree/tree.h"
#include "qos/model/snapshot.h"
#include "qos/model/task_measurements.h"

namespace evenkeel::collectors {

// The interface through which a collector hands its alarm descriptors to the event loop between two ticks.
// Does not wait itself.

struct AlarmDescriptors {
  /// Calls `ready` with the events whenever `fd` has one of `events` (EPOLLIN, EPOLLPRI) or an error
  /// (EPOLLERR). Returns false if the descriptor cannot be watched.
  std::function<bool(int fd, std::uint32_t events, std::function<void(std::uint32_t events)> ready)> add{};
  std::function<void(int fd)> remove{};  ///< call before closing the descriptor
  /// Receives each alarm; `at` is not set yet. The callback may call
  /// `PressureTriggers::follow()`.
  std::function<void(const Alarm&)> on_alarm{};
};

// Options of the sampler and what it reports about itself. Plain values.

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

// The interface of a collector of node-wide data: opened once, called once per tick, and allowed to report
// nothing. A new collector is a file in a folder of collectors/
// with a CollectorSpec, and a line in registry.cpp.

/// What the sampler passes to a collector for one tick.
struct Tick {
  const Host& host;
  std::span<char> buffer;  ///< holds the content of one file at a time
  NodeSnapshot& node;      ///< `at` and `since_previous` are already set
};

class Collector {
 public:
  virtual ~Collector() = default;
  /// The cgroup tree changed. May allocate.
  virtual void follow(const tree::CgroupTree& /*tree*/) {}
  /// Sets the event loop that waits on this collector's alarm descriptors. It must outlive the collector or
  /// be reset with {}.
  virtual void set_alarm_source(const AlarmDescriptors& /*waiting*/) {}
  /// Replaces its part of `tick.node`; values that cannot be read become absent. Does not fail, and allocates
  /// only when the hardware changed.
  virtual void collect(Tick& tick) = 0;
};

struct CollectorSpec {
  std::string_view name;
  /// Relative to the host's root. If none of them exists, the collector is reported as off and keeps
  /// retrying.
  std::span<const std::string_view> files;
  /// How many descriptors it keeps open on this host.
  std::size_t (*descriptors)(const Host& host);
  std::unique_ptr<Collector> (*make)(const Host& host);
};

}  // namespace evenkeel::collectors
