// The policy of the last-level cache and of memory bandwidth (resctrl), with the arithmetic of schemata
// lines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "qos/cache/way_steering.h"
#include "qos/decide/policy.h"
#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"
#include "qos/model/resctrl.h"
#include "qos/model/snapshot.h"

namespace evenkeel::cache {

// Converts percentages to what the hardware accepts: masks of cache ways, units of memory bandwidth, and the
// lines of a schemata file. Arithmetic only.

/// The ways between two percentages, each rounded up. Never fewer than the hardware's minimum: then the lower
/// end goes down first. Absent: nothing between them, or a mask with holes on hardware that does not allow
/// them.
std::optional<std::uint64_t> ways_between(const ResctrlResource& cache, Percent start, Percent end);
/// The last-level cache whose ways are shared out; null: there is none.
const ResctrlResource* shared_cache(const ResctrlSystem& system);
/// The end of a range of ways for `fewer` ways than up to `end`. Nothing is checked.
Percent end_for_fewer_ways(const ResctrlResource& cache, Percent end, std::int64_t fewer);
/// A percentage of the memory bandwidth in hardware units, rounded up to its steps. Absent: not within 1 to
/// 100.
std::optional<std::uint64_t> bandwidth_of(const ResctrlResource& memory, Percent percent);

/// Every schemata line that we set, with every domain in it; a domain that no part names gets everything.
/// Replaces `out`, which is empty where the machine supports no allocation.
void schemata_of(const ResctrlSystem& system, std::span<const ResctrlPart> parts, std::string& out);

// Steers how much memory bandwidth best effort may use at each cache, by what is measured there: all that the
// configuration grants while there is plenty to spare, less while the services' misses and its own traffic
// fill the memory. Does not know groups or masks.

/// The state kept from measurement to measurement.
class BandwidthSteering {
 public:
  /// One memory: the CPUs at one last-level cache, as resctrl numbers them.
  struct Memory {
    std::int32_t cache = 0;
    Percent share{};                                      ///< that best effort may have
    std::optional<Bytes> moved{}, best_effort_traffic{};  ///< per second; absent: not known
    MonoTime known{}, changed{};
  };

  /// Reads the snapshot's counters, once per measurement. `batch` is the group of best effort, `most` what
  /// the configuration grants it.
  void steer(const NodeSnapshot& node, std::string_view batch, const ResctrlDynamic& settings, Percent most);
  void forget() { *this = {}; }
  /// In the order of the counters; empty: nothing was measured yet.
  [[nodiscard]] std::span<const Memory> memories() const { return memories_; }

 private:
  struct Counter {
    std::string group{};
    std::int32_t cache = 0;
    std::optional<Bytes> traffic{};
  };
  void find_memories(const NodeSnapshot& node, Percent most);
  void measure(const NodeSnapshot& node, std::string_view batch, Duration passed);
  void remember(const NodeSnapshot& node);

  std::optional<MonoTime> measured_{};
  std::vector<Counter> before_{};
  std::vector<Memory> memories_{};
};

// Policy "resctrl": ways of the last-level cache and memory bandwidth for the tasks of a class, or of one pod
// that has its own (annotation node.koordinator.sh/resctrl).
//
// Unlike Koordinator: a class that is not enabled has no group, and its tasks stay where they are; a range is
// never empty; caches are named by the kernel's own numbers; CAT and MBA work without one another; if the
// hardware has too few classes of service, groups share one instead of failing.

/// Scratch memory, kept so that a steady tick allocates nothing, and the steering state of memories and
/// caches.
struct ResctrlState {
  std::vector<const PodSample*> own{};  ///< pods with groups of their own; valid within one tick
  std::string everything{};             ///< the schemata without any limit
  std::vector<ResctrlPart> parts{};     ///< of the group that is worked on
  BandwidthSteering steering{};         ///< remembered from tick to tick
  WaySteering ways{};                   ///< likewise
};

/// Interference decides later: the facts it published are from the tick before.
using ResctrlPolicy =
    decide::Policy<ResctrlState, decide::ReadsPrevious<decide::CacheLimits, decide::WatchedCgroups>>;
extern const ResctrlPolicy resctrl_policy;

}  // namespace evenkeel::cache
