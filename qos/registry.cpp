#include <iterator>

#include "qos/brake/brake.h"
#include "qos/cache/cache.h"
#include "qos/cpu/burst/burst.h"
#include "qos/cpu/burst/normalization.h"
#include "qos/cpu/identity/core_sched.h"
#include "qos/cpu/identity/identity.h"
#include "qos/cpu/pinning/pinning.h"
#include "qos/cpu/suppress/suppress.h"
#include "qos/decide/policy.h"
#include "qos/interference/interference.h"
#include "qos/io/disk.h"
#include "qos/io/network.h"
#include "qos/lending/batch_resources.h"
#include "qos/memory/memory_qos.h"
#include "qos/memory/push_back.h"
#include "qos/memory/system_settings.h"

namespace evenkeel::decide {
namespace {

// One line per policy. The order is the rank for levers whose rule is Merge::first.
constexpr const PolicySpec* kPolicies[] = {
    &suppress::cpu_suppress_policy,   &burst::cpu_burst_policy,           &burst::cpu_normalization_policy,
    &identity::cpu_identity_policy,   &memory::memory_qos_policy,         &memory::memory_push_back_policy,
    &lending::batch_resources_policy, &pinning::cpusets_policy,           &memory::system_settings_policy,
    &cache::resctrl_policy,           &identity::core_sched_policy,       &io::blkio_policy,
    &io::network_qos_policy,          &interference::interference_policy, &brake::brake_policy};

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

}  // namespace evenkeel::decide
