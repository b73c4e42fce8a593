// Policy "cpu-suppress": best effort may use what the services leave below the node's CPU threshold; enforced
// with one quota on the BestEffort directory (cfsQuota) or with the CPUs of everything below it (cpuset).
//
// Best-effort host applications outside of that directory (services of a plain machine) are held as well, by
// their own quotas under both policies, since nobody gives a service a CPU set to narrow. There is one
// allowance all the same: qos/cpu/suppress/share.h says how it is divided. Under cpuset the directory's part
// is rounded up to whole CPUs, at least two. An application whose quota cannot be read, or with services or
// pods below it, is not held and counts as a service, as every best-effort one outside does in the reference.
#pragma once

#include <optional>
#include <vector>

#include "qos/cpu/suppress/damping.h"
#include "qos/cpu/suppress/share.h"
#include "qos/cpu/suppress/target.h"
#include "qos/decide/policy.h"
#include "qos/model/cpu_set.h"

namespace evenkeel::suppress {

struct CpuSuppressState {
  SuppressDamping damping{};

  std::vector<SuppressShare> shares{};  ///< empty while best effort lives nowhere but in its directory
  std::optional<MilliCpu> shared{};     ///< what they have together
  MonoTime divided{};                   ///< when the parts last changed
  bool regroup = false;                 ///< who has a part, or may have, is not as when they were made

  std::optional<CpuSet> chosen{};  ///< policy cpuset: the CPUs that were asked for last
};

using CpuSuppressPolicy = decide::Policy<CpuSuppressState, decide::Amends<decide::NarrowedChildren>>;
extern const CpuSuppressPolicy cpu_suppress_policy;

/// The ways to enforce. All hold what is in force when something that decides is unknown.
void suppress_by_quota(const NodeSnapshot& node, const NodeSlo& slo, CpuSuppressState& state,
                       decide::NarrowedChildren& narrowed, decide::Intents& out);
void suppress_by_cpuset(const NodeSnapshot& node, const NodeSlo& slo, CpuSuppressState& state,
                        decide::Intents& out);
/// When best effort lives in more places than its directory; by either lever where that is concerned.
void suppress_shared(const NodeSnapshot& node, const NodeSlo& slo, CpuSuppressState& state,
                     decide::NarrowedChildren& narrowed, decide::Intents& out);
bool shares_allowance(const NodeSnapshot& node);

/// The lever "CPUs of everything in the BestEffort directory". How many it has; absent when that, or what it
/// could have, is unknown.
std::optional<std::size_t> besteffort_cpus(const NodeSnapshot& node, const CpuSuppressState& state,
                                           Reason& unknown);
void confine_besteffort(const NodeSnapshot& node, std::size_t count, const Reason& why,
                        CpuSuppressState& state, decide::Intents& out);
void hold_besteffort_cpus(const NodeSnapshot& node, const Reason& why, decide::Intents& out);

/// The sentence that goes with a step, with the numbers of the target.
Reason suppress_reason(const SuppressStep& step, const SuppressTarget& target);

}  // namespace evenkeel::suppress
