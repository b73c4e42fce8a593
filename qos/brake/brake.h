// The policy that cuts best effort between two ticks, and how it finds the cause of an alarm.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "qos/decide/policy.h"
#include "qos/model/ids.h"
#include "qos/model/reason.h"
#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::brake {

// Measures for how much of the last minute something was on, in steps of a second. Arithmetic on given times
// only.

class DutyCycle {
 public:
  static constexpr Duration kSpan = std::chrono::minutes(1);

  /// It was on from `from` to `to`; calls in the order of time, without overlap.
  void add(MonoTime from, MonoTime to);
  /// How long it was on in the minute before `now`; up to a second more, never less.
  [[nodiscard]] Duration spent(MonoTime now) const;

 private:
  struct Second {
    std::int64_t number = -1;
    Duration on{};
  };
  // The minute, and the second in which it began.
  std::array<Second, 61> seconds_{};
};

// Policy "brake": when a kernel alarm says that a service waits for a CPU or for memory, cuts best effort to
// limits planned beforehand, for a short lease. It bridges the time between two ticks and is on for a small
// part of any minute only.
//
// It brakes only where that helps: the service was seen to wait for CPUs that best effort had; or it waited,
// more than its own quotas explain, and best effort has lately run at least as long (or has memory worth
// reclaiming, on a node that is short of it). In doubt it does nothing. Does not listen for alarms
// (collectors/pressure/triggers.h and collectors/run_queue/alarms.h do).

/// The brake of one resource.
struct BrakeLever {
  bool on = false;
  CgroupId place{};    ///< the cgroup that is braked
  MonoTime until{};    ///< the end of the lease
  MonoTime counted{};  ///< the duty cycle is counted up to here
  MilliCpu cpu{};      ///< what best effort may use during the lease
  MilliCpu cpu_had{};  ///< its limit before the lease
  Bytes memory{};      ///< what best effort may have of memory during the lease
  Reason why{};
  DutyCycle duty{};
};

struct BrakeState {
  BrakeLever cpu{}, memory{};
  bool may_cut_cpu = false;  ///< a quota on best effort does no harm here; as known at the last tick
};

/// Processes node.alarms as soon as they arrive; nothing else has been read since the last tick. True: a
/// brake was switched on and must be written at once.
bool handle_alarms(const NodeSnapshot& node, const NodeSlo& slo, BrakeState& state);

/// The latest time for the next decide() call, because a lease ends then. Absent: nothing is braked.
std::optional<MonoTime> next_release(const BrakeState& state);

using BrakePolicy =
    decide::Policy<BrakeState, decide::Publishes<decide::BrakeInForce>,
                   decide::ReadsPrevious<decide::HarmfulLevers>, decide::Amends<decide::NarrowedChildren>>;
extern const BrakePolicy brake_policy;

// Decides for the brake whether best effort caused an alarm, and what cutting it would mean now.

/// A service waits, not because of its own quotas, and best effort may well be the cause. False if anything
/// is not known.
bool besteffort_is_cause(const NodeSnapshot& node, const NodeSlo& slo, const Alarm& alarm);

/// The CPU limit of best effort in force. Absent: it is unknown or must not be changed.
std::optional<MilliCpu> besteffort_cpu_limit(const NodeSnapshot& node);

/// The least CPU that best effort keeps, so that its pods' probes are answered: its share for each pod that
/// runs, and one for all the others together.
MilliCpu least_cpu(const NodeSnapshot& node, const BrakeSettings& settings);

/// The CPU limit that best effort would keep. Absent: it has no more now, or that is unknown.
std::optional<MilliCpu> braked_cpu_limit(const NodeSnapshot& node, const BrakeSettings& settings);

/// The same for memory, of which it has `used`.
std::optional<Bytes> braked_memory_limit(const NodeSnapshot& node, const NodeSlo& slo, Bytes used);

}  // namespace evenkeel::brake
