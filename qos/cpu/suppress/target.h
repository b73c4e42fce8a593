// How much CPU best effort may use now: what the threshold leaves after the services and the system.
// May not: decide how that is enforced (qos/cpu/suppress/suppress.cpp) or how fast
// (qos/cpu/suppress/damping.cpp).
#pragma once

#include "qos/model/reason.h"
#include "qos/model/snapshot.h"

namespace evenkeel::suppress {

struct SuppressTarget {
  MilliCpu capacity{};  ///< of the Node object if there is one, else the online CPUs
  MilliCpu allowed{};   ///< the threshold: what everybody together should stay under
  MilliCpu services{};  ///< pods and host applications that suppression does not reach
  MilliCpu system{};    ///< the rest of the node's use, at least what is reserved
  MilliCpu unseen{};    ///< of that, what goes beyond the reservation
  MilliCpu target{};    ///< may be negative; never below the configured minimum
};

/// Absent when a number that decides is unknown; `unknown` then says which.
std::optional<SuppressTarget> suppress_target(const NodeSnapshot& node, const ThresholdStrategy& threshold,
                                              Reason& unknown);

}  // namespace evenkeel::suppress
