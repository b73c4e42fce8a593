// Reclaims memory of one cgroup in small steps: between two of them it reads how much is in use and whether
// the cgroup's own tasks are stalled. Does not know other cgroups, threads or clocks. A step may block while
// the kernel looks for pages.
#pragma once

#include <cstdint>
#include <optional>

#include "cgroup/base/fd.h"
#include "cgroup/base/result.h"
#include "cgroup/tree/tree.h"
#include "qos/model/reclaim_order.h"

namespace evenkeel::reclaim {

inline constexpr const char* kReclaimFile = "memory.reclaim";

/// Files of one cgroup; they give ENODEV after its removal.
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
  /// The same cgroup's files, reopened.
  void use(ReclaimFiles files) { files_ = std::move(files); }
  /// Starts the order of a new tick. Stalls since the last reading count.
  void begin(const ReclaimOrder& order);
  /// Reads the state, and reclaims one chunk if one is due: with `whole` all that is left of the order.
  Step step(bool whole);

 private:
  [[nodiscard]] bool stalled(Bytes used);
  [[nodiscard]] Bytes chunk(Bytes used, bool whole) const;
  Step ask(Bytes used, Bytes amount);

  ReclaimFiles files_;
  ReclaimOrder order_{};
  Bytes spent_{};
  bool begun_ = false;  ///< use was above the upper mark, and not yet below the lower one
  int misses_ = 0;      ///< chunks in a row that reclaimed little
  std::optional<std::int64_t> stall_from_us_{}, stall_seen_us_{};
};

}  // namespace evenkeel::reclaim
