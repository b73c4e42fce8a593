// The policy cpu-suppress and its target.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "qos/cpu/suppress/fork_storm.h"
#include "qos/cpu/suppress/share.h"
#include "qos/decide/policy.h"
#include "qos/model/reason.h"
#include "qos/model/snapshot.h"
#include "qos/model/topology.h"

namespace evenkeel::suppress {

// Computes how much CPU best effort may use now: what the threshold leaves after the services and the system.
// Does not decide how that is enforced (qos/cpu/suppress/suppress.cpp) or how fast
// (qos/cpu/suppress/damping.cpp).

struct SuppressTarget {
  MilliCpu capacity{};  ///< the smaller of what the Node object says and the online CPUs
  MilliCpu allowed{};   ///< the threshold: what all workloads together should stay under
  MilliCpu services{};  ///< pods and host applications that suppression does not reach
  MilliCpu system{};    ///< the rest of the node's use, at least what is reserved
  MilliCpu unseen{};    ///< the part of it above the reservation
  MilliCpu target{};    ///< may be negative; never below the configured minimum
  /// Services' objectives, if the target is theirs and not the threshold's.
  std::optional<decide::ServiceObjectives> objectives{};
  std::optional<ForkStorm> storm{};  ///< if that is why best effort is kept off CPUs
};

/// Absent when an input is unknown; `unknown` then says which. `apps`: an application that this lever does
/// not reach counts as a service.
std::optional<SuppressTarget> suppress_target(const NodeSnapshot& node, const ThresholdStrategy& threshold,
                                              AppLever apps, Reason& unknown);
/// Where services' objectives leave best effort less than the whole node, its allowance is theirs, above or
/// below the threshold. While the figure of one is unknown it is at most the threshold's, except under
/// `auto`, where the threshold limits nothing.
void apply_objectives(const decide::ServiceObjectives& objectives, const ThresholdStrategy& threshold,
                      SuppressTarget& target);
/// In a storm of forks the target is what leaves services and the system a quarter more CPU than they use,
/// and at least one CPU more.
void leave_cpus_to_services(const ForkStorm& storm, const ThresholdStrategy& threshold,
                            SuppressTarget& target);

// Policy "cpu-suppress": best effort may use what the services leave below the node's CPU threshold; enforced
// with one quota on the BestEffort directory (cfsQuota) or with the CPUs of everything below it (cpuset).
//
// Best-effort host applications outside of that directory (services of a plain machine) are limited as well,
// by their own quotas under both policies, because a service usually has no CPU set to narrow. All share one
// allowance: qos/cpu/suppress/share.h divides it. Under cpuset the directory's part is rounded up to whole
// CPUs, at least two. Where a quota does harm (decide::quota_harm) they have no quotas, and those that have a
// CPU set run on the directory's CPUs. An application that has no such lever, or with services or pods below
// it, is not limited and counts as a service, as every best-effort one outside does in Koordinator.

/// What limits best effort.
enum class SuppressActuator : std::uint8_t {
  weight,  ///< the weight that the kubelet gave it, and nothing else
  quota,
  cpuset,
};

/// By cpuSuppressPolicy. `auto` is the weight alone, which keeps best effort away from services, unless an
/// objective needs a limit (`must_limit`). Instead of a quota that would do harm (decide::quota_harm) it is
/// the CPU set. Where this says the weight alone, the policy still uses CPU sets against a storm of forks
/// (ForkStorm).
SuppressActuator suppress_actuator(const NodeSnapshot& node, const NodeSlo& slo,
                                   const decide::HarmfulLevers& harmful, bool must_limit);

/// Services' objectives ask for a limit on best effort now.
inline bool need_limit(const decide::ServiceObjectives& objectives) {
  return objectives.in_force && objectives.besteffort_cpu.has_value();
}

/// Why a best-effort application is not limited: a quota would do harm, and it has no CPU set.
inline bool is_left_alone(const NodeSnapshot& node, const HostApplicationSample& app) {
  return has_share(node, app, AppLever::quota) && !is_suppressed(node, app, AppLever::cpuset);
}

struct CpuSuppressState {
  SuppressDamping damping{};
  /// Of the directory, at the last tick. The brake may have set less; systemd may have reset it, or proof
  /// withhold it.
  std::optional<QuotaTime> wanted{};

  std::vector<SuppressShare> shares{};  ///< empty while best effort runs only in its directory
  std::optional<MilliCpu> shared{};     ///< what they have together
  MonoTime divided{};                   ///< when the parts last changed
  bool regroup = false;                 ///< the set of places with a part has changed since the division

  std::optional<CpuSet> chosen{};  ///< policy cpuset: the last requested CPUs

  ForkStorm storm{};
};

using CpuSuppressPolicy = decide::Policy<CpuSuppressState, decide::Reads<decide::ServiceObjectives>,
                                         decide::ReadsPrevious<decide::HarmfulLevers, decide::BrakeInForce>,
                                         decide::Amends<decide::NarrowedChildren>>;
extern const CpuSuppressPolicy cpu_suppress_policy;

/// What the levers follow: the target of this tick; absent: an input is unknown, as `unknown` says.
struct SuppressGoal {
  std::optional<SuppressTarget> target{};
  Reason unknown{};
  bool braked = false;              ///< at the last tick the brake limited best effort's CPU
  AppLever apps = AppLever::quota;  ///< how applications are limited
};
/// The levers. All keep the value in force when an input of the decision is unknown.
void suppress_by_quota(const NodeSnapshot& node, const NodeSlo& slo, const SuppressGoal& goal,
                       CpuSuppressState& state, decide::NarrowedChildren& narrowed, decide::Intents& out);
/// With applications by CPU set these get the directory's CPUs.
void suppress_by_cpuset(const NodeSnapshot& node, const NodeSlo& slo, const SuppressGoal& goal,
                        CpuSuppressState& state, decide::Intents& out);
/// For best effort in more places than its directory; `by_quota` chooses the lever for the directory.
void suppress_shared(const NodeSnapshot& node, const NodeSlo& slo, SuppressGoal goal, bool by_quota,
                     CpuSuppressState& state, decide::NarrowedChildren& narrowed, decide::Intents& out);
/// The directory's quota from which the next step starts: the one in force, or the one that was last wanted,
/// if the brake has set less, or the kernel has none or the owner's larger one for now.
std::optional<QuotaTime> quota_before(const CpuSuppressState& state, bool braked,
                                      std::optional<QuotaTime> in_force);
/// This lever limits at least one application.
bool limits_applications(const NodeSnapshot& node, AppLever lever);

/// The lever "CPUs of everything in the BestEffort directory", with `apps` by CPU set of these, too. Returns
/// how many it has; absent when that, or what it could have, is unknown.
std::optional<std::size_t> besteffort_cpus(const NodeSnapshot& node, const CpuSuppressState& state,
                                           AppLever apps, Reason& unknown);
void confine_besteffort(const NodeSnapshot& node, std::size_t count, AppLever apps, const Reason& why,
                        CpuSuppressState& state, decide::Intents& out);
void hold_besteffort_cpus(const NodeSnapshot& node, AppLever apps, const Reason& why, decide::Intents& out);

/// The reason text for a step, with the numbers of the target.
Reason suppress_reason(const SuppressStep& step, const SuppressTarget& target);

}  // namespace evenkeel::suppress
