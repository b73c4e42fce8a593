#include "qos/cpu/identity/core_sched.h"

namespace evenkeel::identity {
namespace {

constexpr const char* kGroupLabel = "koordinator.sh/core-sched-group-id";
constexpr const char* kPolicyLabel = "koordinator.sh/core-sched-policy";

std::string_view label(const Pod& pod, const char* key) {
  const auto found = pod.labels.find(key);
  return found == pod.labels.end() ? std::string_view() : std::string_view(found->second);
}

/// Pods that name no group form one; no label can have its name.
void name_group(std::string_view chosen, bool expeller, std::string& out) {
  out = chosen.empty() ? "(common)" : chosen;
  if (expeller) out += "-expeller";
}

bool enabled(const NodeSlo& slo) {
  return slo.qos.cpu_policy == CpuQosPolicy::core_sched &&
         (slo.qos.lsr.cpu.enable || slo.qos.ls.cpu.enable || slo.qos.be.cpu.enable);
}

void decide_pod(const NodeSnapshot& node, const NodeSlo& slo, const PodSample& pod, std::string& name,
                decide::CoreSchedPlan& plan) {
  const CpuQos* of_class = cpu_strategy_of(slo.qos, default_qos(*pod.spec));
  const auto* cgroup = node.cgroup(pod.cgroup);
  const auto policy = label(*pod.spec, kPolicyLabel);
  if (!of_class || !of_class->enable || !cgroup || cgroup->hands_off || policy == "none") return;
  const bool exclusive = policy == "exclusive";
  name_group(exclusive ? std::string_view(pod.spec->uid) : label(*pod.spec, kGroupLabel),
             of_class->core_expeller, name);
  plan.add({cgroup->id, plan.group(name),
            exclusive ? because("the pod shares no core with anybody")
            : of_class->core_expeller
                ? because("shares cores with its group only; its class keeps others away (coreExpeller)")
                : because("shares cores with its group only")});
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, CoreSchedState& state,
            CoreSchedPolicy::Facts /*facts*/, decide::Intents& out) {
  out.core_sched().by = out.speaker();
  if (slo.evenkeel.hands_off) return;
  for (const PodSample& pod : node.pods)
    if (is_active(*pod.spec) || pod.spec->from_cgroup_only)
      decide_pod(node, slo, pod, state.group_name, out.core_sched());
}

}  // namespace

constinit const CoreSchedPolicy core_sched_policy{
    {"core-sched", "groups of pods that may share a physical core, and nobody else with them", enabled},
    decide};

}  // namespace evenkeel::identity
