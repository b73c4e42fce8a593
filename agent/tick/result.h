// The result of a tick, and the totals of all ticks for the metrics. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cgroup/executor/executor.h"
#include "qos/eviction/eviction.h"
#include "qos/model/reclaim_order.h"

namespace evenkeel::tick {

/// What one tick, or one round between two ticks, did.
struct TickResult {
  MonoTime now{};
  executor::Report report{};
  std::vector<eviction::Eviction> evictions{};  ///< pods that were chosen (dry run: that would be evicted)
  std::vector<ReclaimOrder> reclaims{};         ///< in force until the next tick
  std::vector<std::string> problems{};          ///< inputs that were refused in this tick
};

/// Sums since the start.
struct TickCounters {
  std::uint64_t ticks = 0;
  std::uint64_t early_ticks = 0;  ///< rounds between two ticks
  std::uint64_t late_ticks = 0;   ///< ticks that came due while an earlier one still ran
  Duration last_tick{}, longest_tick{}, last_early_tick{}, longest_early_tick{};
};

/// Adds to a report what was done before it.
void put_first(executor::Report& report, executor::Report before);

}  // namespace evenkeel::tick
