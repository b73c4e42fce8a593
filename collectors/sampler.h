// The senses together: every number of the snapshot that comes from a kernel file is read here, once per
// tick, with kept descriptors and pread into one buffer. A steady tick allocates nothing; absence is the only
// failure. May not: write, decide, or know what a pod wants.
//
//   if (tree.scan()) { build_roster(tree, pods, slo, node); sampler.follow(tree); }
//   sampler.collect(node, clock.now());
//
// The same NodeSnapshot is used from tick to tick: files that are not due keep their value in it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/tree/tree.h"
#include "collectors/base/alarm_wait.h"
#include "qos/model/snapshot.h"

namespace evenkeel {

struct SamplerOptions {
  std::size_t descriptor_limit =
      0;  ///< how many files may be kept open; 0 = ask getrlimit and leave a reserve
  bool settings_every_tick = false;  ///< re-read settings each tick: on trees that give no events
  /// Read each tick what is otherwise read every second (cpu and memory pressure) or every fifth
  /// (memory.stat, memory events, io pressure).
  bool slow_files_every_tick = false;
};

struct SamplerHealth {
  std::size_t descriptors_needed = 0;  ///< to keep every file open
  std::size_t descriptors_kept = 0;    ///< files that may stay open
  std::size_t files_reopened = 0;      ///< files that are opened for each read: needed - kept
  std::vector<std::string> off{};      ///< collectors that are off, "name: reason"; as of the last follow()
};

/// One cgroup between two ticks. Absent: not known.
struct Lately {
  std::optional<CpuTime> ran{};              ///< since the tick before the last
  std::optional<Throttling> throttling{};    ///< since then
  std::optional<Bytes> memory{};             ///< in use
  std::optional<Duration> stalled_in_all{};  ///< waiting for a CPU, since the cgroup began (PSI some)
};

/// One file that a tick reads, for measuring what reading it alone would cost.
struct SamplerRead {
  std::string path{};  ///< relative to the host root
  int every = 1;       ///< ticks between two readings
};

class Sampler {
 public:
  Sampler(const Host& host, SamplerOptions options);
  ~Sampler();

  /// The tree changed: open what is new, close what is gone. May allocate.
  void follow(const CgroupTree& tree);
  /// Somebody wrote a setting of this cgroup: read its settings again at the next tick.
  void settings_changed(CgroupId cgroup);
  /// Who waits for the collectors that raise alarms between two ticks. It must outlive this object, or be
  /// taken away: wait_with({}).
  void wait_with(const AlarmWait& waiting);
  /// Fills the measurements of `node` (node.node, node.topology, and every member of node.cgroups, which is
  /// in the order of the tree given to follow()). Sets at and since_previous.
  void collect(NodeSnapshot& node, MonoTime now);

  /// Between two ticks: reads the settings of cgroups that have none yet or whose settings changed, and
  /// nothing else. Rates and node measurements stay as they are; throttling, which is per tick, becomes
  /// absent. Sets at and since_previous. Returns whether any setting is another than before.
  bool admit(NodeSnapshot& node, MonoTime now);

  /// Between two ticks: reads one cgroup now, and changes nothing for the next tick.
  Lately lately(CgroupId cgroup);

  [[nodiscard]] const SamplerHealth& health() const;
  [[nodiscard]] std::vector<SamplerRead> reads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
