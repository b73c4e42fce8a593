// How long tasks that could run had to wait for a CPU, and who had it meanwhile.
// May not: measure (collectors/ does).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel {

/// Bucket i of a histogram: waits of up to 2^i microseconds; the last one has all that are longer.
inline constexpr std::size_t kWaitBuckets = 24;

/// From runnable to running, of the tasks of one cgroup.
struct RunQueueWait {
  CgroupId cgroup{};
  Duration waited{};                                    ///< since the previous tick, all tasks together
  std::int64_t waits = 0;                               ///< since the previous tick
  std::array<std::uint64_t, kWaitBuckets> histogram{};  ///< since it is watched
};

/// Who had the CPU that a victim waited for.
struct WaitBlame {
  CgroupId victim{};
  CgroupId runner{};     ///< none: tasks outside of every cgroup that is watched (system, kernel threads)
  bool sibling = false;  ///< the runner had the other thread of the core while the victim ran
  Duration time{};       ///< since the previous tick: waited, or shared the core
};

/// Blame of a victim that is not told pair by pair: a tick has room for so many pairs only, and the longest
/// are told. A runner without a pair may have caused as much of it as `time`, never more; where a victim has
/// no rest, a runner without a pair has caused nothing.
struct BlameRest {
  CgroupId victim{};
  bool sibling = false;    ///< as in WaitBlame
  std::int64_t pairs = 0;  ///< that are added up here; who their runners were is not known: also its own pod
  Duration time{};         ///< since the previous tick, of all of them together
};

enum class RunQueueSource : std::uint8_t {
  none,       ///< not asked for, or not possible: see `why`
  schedstat,  ///< sums that the kernel keeps of each task; nobody to blame
  bpf,        ///< each wait, and who ran meanwhile
};

struct RunQueue {
  RunQueueSource source = RunQueueSource::none;
  std::string why{};                    ///< why it is no better; empty: nothing is amiss
  std::vector<RunQueueWait> waits{};    ///< in the order of NodeSnapshot::cgroups
  std::vector<WaitBlame> blame{};       ///< by victim, the longest first; bounded
  std::vector<BlameRest> blame_rest{};  ///< by victim: of those whose pairs found no room in `blame`
  std::uint64_t blame_cut = 0;          ///< pairs of single ticks that are in a rest, since the start
  std::uint64_t lost = 0;               ///< waits since the start that found no room in a table
  bool alarms = false;                  ///< it also says between two ticks who waits for best effort
  std::string why_no_alarms{};          ///< why not, though the brake asks; empty: nothing is amiss
};

}  // namespace evenkeel
