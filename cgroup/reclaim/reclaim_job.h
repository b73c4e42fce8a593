// One cgroup that gives up memory, in small steps: between two of them it looks how much is in use and
// whether the cgroup's own tasks are stalled. A step may block for as long as the kernel looks for pages. May
// not: know of other cgroups, threads or clocks.
#pragma once

#include <cstdint>
#include <optional>

#include "cgroup/base/fd.h"
#include "cgroup/base/result.h"
#include "cgroup/tree/tree.h"
#include "qos/model/reclaim_order.h"

namespace evenkeel::reclaim {

inline constexpr const char* kReclaimFile = "memory.reclaim";

/// Of one life of one cgroup; they answer ENODEV when it is over.
struct ReclaimFiles {
  static Result<ReclaimFiles> open(const tree::CgroupTree& tree, const tree::Cgroup& cgroup);
  Fd current{}, pressure{}, reclaim{};
};

class ReclaimJob {
 public:
  struct Step {
    Bytes asked{}, reclaimed{};
    ReclaimEnd end = ReclaimEnd::going;
    int error = 0;
  };

  explicit ReclaimJob(ReclaimFiles files) : files_(std::move(files)) {}
  /// The same cgroup's files, opened anew.
  void use(ReclaimFiles files) { files_ = std::move(files); }
  /// The order of a new tick. What was stalled since the last look counts.
  void begin(const ReclaimOrder& order);
  /// Looks, and asks for one chunk if one is due: `whole` for all that is left of the order.
  Step step(bool whole);

 private:
  [[nodiscard]] bool stalled(Bytes used);
  [[nodiscard]] Bytes chunk(Bytes used, bool whole) const;
  Step ask(Bytes used, Bytes amount);

  ReclaimFiles files_;
  ReclaimOrder order_{};
  Bytes spent_{};
  bool begun_ = false;  ///< above the mark once, and not yet below the lower one
  int misses_ = 0;      ///< chunks in a row that gave little
  std::optional<std::int64_t> stall_from_us_{}, stall_seen_us_{};
};

}  // namespace evenkeel::reclaim
