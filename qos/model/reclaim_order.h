// An order to reclaim memory from a cgroup (memory.reclaim), and the result of the last one. An order is not
// a value in a file: nothing has to be restored. Does not decide which cgroup gets one (qos/memory/policies.h
// does).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "qos/model/ids.h"
#include "qos/model/reason.h"
#include "qos/model/units.h"

namespace evenkeel {

enum class ReclaimCause : std::uint8_t { watermark, page_cache, push_back, interference };
constexpr std::string_view name(ReclaimCause cause) {
  switch (cause) {
    case ReclaimCause::watermark:
      return "memory-watermark";
    case ReclaimCause::page_cache:
      return "page-cache-limit";
    case ReclaimCause::push_back:
      return "memory-push-back";
    case ReclaimCause::interference:
      return "interference";
  }
  return "";
}

/// Valid until the next tick's orders replace it. Between the two marks it may be carried out more than once:
/// memory is reclaimed whenever more than `above` is in use, until `down_to` is left.
struct ReclaimOrder {
  CgroupId target{};
  ReclaimCause cause = ReclaimCause::watermark;
  Bytes above{}, down_to{};
  Bytes wanted{};          ///< now; more when it grows
  Bytes most{};            ///< in all, until the next orders
  bool rationed = false;   ///< `most` is what the node can spare, not what is wanted
  bool file_only = false;  ///< page cache alone
  /// More memory stall of the cgroup's tasks than this ends it. Absent: no limit.
  std::optional<Duration> stall_allowed{};
  /// With this much in use its tasks reclaim for themselves; their stall is not caused by the order.
  std::optional<Bytes> own_stalls_above{};
  Reason why{};
};

enum class ReclaimEnd : std::uint8_t {
  going,
  done,          ///< all that was ordered
  pressure,      ///< the cgroup's tasks were stalled
  nothing_left,  ///< the kernel finds no more reclaimable memory
  budget,        ///< the node can spare no more
  failed,
};

/// What was done for one cgroup since the tick before.
struct ReclaimOutcome {
  CgroupId target{};
  ReclaimCause cause = ReclaimCause::watermark;
  Bytes requested{}, reclaimed{};
  ReclaimEnd end = ReclaimEnd::going;
  int error = 0;  ///< errno of a failure
};

/// What this machine supports for reclaim.
struct ReclaimSupport {
  bool on_demand = false;  ///< memory.reclaim exists
  bool file_only = false;  ///< memory.reclaim accepts swappiness=0
};

}  // namespace evenkeel
