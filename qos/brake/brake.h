// Policy "brake": the moment the kernel says that a service waits for a CPU or for memory, best effort is cut
// to what was planned beforehand, for a short lease; then the slow loops go on. A stop-gap between two ticks,
// so it may be on for a small part of any minute only.
//
// It brakes only where it is known to help: the service was seen to wait for CPUs that best effort had; or it
// waited, more than by its own quotas' doing, and best effort has lately run at least as long (or has memory
// worth taking, on a node that is short of it). In doubt it does nothing. May not: listen (collectors/ does:
// collectors/pressure/triggers.h, collectors/run_queue/alarms.h).
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
  CgroupId place{};    ///< what is braked
  MonoTime until{};    ///< the end of the lease
  MonoTime counted{};  ///< up to here the duty knows of it
  MilliCpu cpu{};      ///< what best effort may use meanwhile
  MilliCpu cpu_had{};  ///< and what before
  Bytes memory{};      ///< the same of memory
  Reason why{};
  DutyCycle duty{};
};

struct BrakeState {
  BrakeLever cpu{}, memory{};
};

/// Takes node.alarms in, as soon as they came: nothing was read since. Whether a brake is on now that was
/// not, which is to be written at once.
bool handle_alarms(const NodeSnapshot& node, const NodeSlo& slo, BrakeState& state);

/// When decide() is to be called at the latest, for a lease ends. Absent: nothing is braked.
std::optional<MonoTime> next_release(const BrakeState& state);

using BrakePolicy = decide::Policy<BrakeState, decide::Publishes<decide::BrakeInForce>,
                                   decide::Amends<decide::NarrowedChildren>>;
extern const BrakePolicy brake_policy;

}  // namespace evenkeel::brake
