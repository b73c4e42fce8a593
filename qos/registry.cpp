#include <iterator>

#include "qos/batch_resources.h"
#include "qos/blkio.h"
#include "qos/brake.h"
#include "qos/core_sched.h"
#include "qos/cpu_burst.h"
#include "qos/cpu_idle.h"
#include "qos/cpu_normalization.h"
#include "qos/cpu_suppress.h"
#include "qos/cpusets.h"
#include "qos/interference.h"
#include "qos/memory_push_back.h"
#include "qos/memory_qos.h"
#include "qos/network_qos.h"
#include "qos/policy.h"
#include "qos/resctrl_policy.h"
#include "qos/system_settings.h"

namespace evenkeel {
namespace {

// One line per policy. The order is the rank for levers whose rule is Merge::first.
constexpr const PolicySpec* kPolicies[] = {
    &cpu_suppress_policy,    &cpu_burst_policy,    &cpu_normalization_policy,
    &cpu_identity_policy,    &memory_qos_policy,   &memory_push_back_policy,
    &batch_resources_policy, &cpusets_policy,      &system_settings_policy,
    &resctrl_policy,         &core_sched_policy,   &blkio_policy,
    &network_qos_policy,     &interference_policy, &brake_policy};

}  // namespace

std::span<const PolicySpec* const> policies() { return kPolicies; }

std::string_view policy_name(PolicyIndex by) {
  return by < std::size(kPolicies) ? kPolicies[by]->name : "restore";
}

void decide_all(const NodeSnapshot& node, const NodeSlo& slo, PolicyState& state, Intents& out) {
  for (std::size_t i = 0; i < std::size(kPolicies); ++i) {
    out.speak_as(static_cast<PolicyIndex>(i));
    if (kPolicies[i]->enabled(slo))
      kPolicies[i]->decide(node, slo, state, out);
    else
      kPolicies[i]->reset(state);
  }
}

}  // namespace evenkeel
