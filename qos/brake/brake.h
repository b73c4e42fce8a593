// Policy "brake": when a kernel alarm says that a service waits for a CPU or for memory, cuts best effort to
// limits planned beforehand, for a short lease. It bridges the time between two ticks and is on for a small
// part of any minute only.
//
// It brakes only where that helps: the service was seen to wait for CPUs that best effort had; or it waited,
// more than its own quotas explain, and best effort has lately run at least as long (or has memory worth
// reclaiming, on a node that is short of it). In doubt it does nothing. Does not listen for alarms
// (collectors/pressure/triggers.h and collectors/run_queue/alarms.h do).
#pragma once

#include <optional>

#include "qos/brake/duty_cycle.h"
#include "qos/decide/policy.h"
#include "qos/model/ids.h"
#include "qos/model/reason.h"
#include "qos/model/units.h"

namespace evenkeel::brake {

/// The brake of one resource.
struct BrakeLever {
  bool on = false;
  CgroupId place{};    ///< the cgroup that is braked
  MonoTime until{};    ///< the end of the lease
  MonoTime counted{};  ///< the duty cycle is counted up to here
  MilliCpu cpu{};      ///< what best effort may use during the lease
  MilliCpu cpu_had{};  ///< its limit before the lease
  Bytes memory{};      ///< the same for memory
  Reason why{};
  DutyCycle duty{};
};

struct BrakeState {
  BrakeLever cpu{}, memory{};
};

/// Processes node.alarms as soon as they arrive; nothing else has been read since the last tick. True: a
/// brake was switched on and must be written at once.
bool handle_alarms(const NodeSnapshot& node, const NodeSlo& slo, BrakeState& state);

/// The latest time for the next decide() call, because a lease ends then. Absent: nothing is braked.
std::optional<MonoTime> next_release(const BrakeState& state);

using BrakePolicy = decide::Policy<BrakeState, decide::Publishes<decide::BrakeInForce>,
                                   decide::Amends<decide::NarrowedChildren>>;
extern const BrakePolicy brake_policy;

}  // namespace evenkeel::brake
