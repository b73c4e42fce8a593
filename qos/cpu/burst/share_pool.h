// How full the node's shared CPUs are: what services without CPUs of their own compete for.
#pragma once

#include "qos/cpu/burst/burst.h"
#include "qos/model/snapshot.h"

namespace evenkeel::burst {

enum class ShareState : std::uint8_t { unknown, idle, cooling, overload };

struct SharePool {
  ShareState state = ShareState::unknown;
  MilliCpu total{};  ///< the node's CPUs without what LSE and LSR pods requested
  MilliCpu use{};    ///< average of the last five seconds, without LSE, LSR and BE pods
};

/// Overload from `threshold` of the pool on, cooling from nine tenths of it.
ShareState share_state(MilliCpu use, MilliCpu total, Percent threshold);

/// Takes this tick's use into the average. Unknown use stays unknown.
SharePool share_pool(const NodeSnapshot& node, Percent threshold, CpuBurstState& state);

}  // namespace evenkeel::burst
