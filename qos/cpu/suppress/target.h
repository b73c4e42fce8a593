// Computes how much CPU best effort may use now: what the threshold leaves after the services and the system.
// Does not decide how that is enforced (qos/cpu/suppress/suppress.cpp) or how fast
// (qos/cpu/suppress/damping.cpp).
#pragma once

#include "qos/model/reason.h"
#include "qos/model/snapshot.h"

namespace evenkeel::suppress {

struct SuppressTarget {
  MilliCpu capacity{};  ///< from the Node object if there is one, else the online CPUs
  MilliCpu allowed{};   ///< the threshold: what all workloads together should stay under
  MilliCpu services{};  ///< pods and host applications that suppression does not reach
  MilliCpu system{};    ///< the rest of the node's use, at least what is reserved
  MilliCpu unseen{};    ///< the part of it above the reservation
  MilliCpu target{};    ///< may be negative; never below the configured minimum
};

/// Absent when an input is unknown; `unknown` then says which.
std::optional<SuppressTarget> suppress_target(const NodeSnapshot& node, const ThresholdStrategy& threshold,
                                              Reason& unknown);

}  // namespace evenkeel::suppress
