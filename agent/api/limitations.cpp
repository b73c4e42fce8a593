// What policies do without on this node, and why, for /v1/explain: an absent value would not say so.
#include <string>

#include "agent/api/pages.h"
#include "qos/cpu/suppress/suppress.h"

namespace evenkeel::api {
namespace {

void put(runtime::Json& json, std::string_view of, const std::string& what, std::string_view why) {
  json.begin_object().member("of", of);
  json.member("sentence", why.empty() ? what : what + ": " + std::string(why)).end_object();
}

/// Suppression by CPU sets in place of a quota, and the applications that it cannot reach.
void put_suppression(runtime::Json& json, const AgentView& view, const decide::HarmfulLevers& harmful,
                     std::string_view why) {
  const NodeSlo& slo = *view.inputs.slo();
  const NodeSnapshot& node = view.node();
  const bool must_limit = suppress::need_limit(view.policies.shared.of<decide::ServiceObjectives>());
  if (!slo.threshold.enable ||
      suppress::suppress_actuator(node, slo, harmful, must_limit) != suppress::SuppressActuator::cpuset)
    return;
  const std::string_view policy = suppress::cpu_suppress_policy.name;
  if (slo.threshold.cpu_suppress_policy != SuppressPolicy::cpuset)
    put(json, policy, "best effort is limited by CPU sets in place of a quota", why);
  for (const HostApplicationSample& app : node.host_applications)
    if (suppress::is_left_alone(node, app))
      put(json, policy,
          "host application " + app.spec->name +
              " is not limited and counts as a service, for its cgroup has no CPU set",
          why);
}

}  // namespace

void put_limitations(runtime::Json& json, const AgentView& view) {
  const NodeSlo& slo = *view.inputs.slo();
  const auto& harmful = view.policies.shared.of<decide::HarmfulLevers>();
  const auto harm = decide::quota_harm(view.node(), slo, harmful);
  const std::string_view why = decide::sentence(harm);
  json.begin_array();
  if (view.node().scheduler.sched_ext) put(json, "scheduler", record::kBpfScheduler, "");
  if (const auto& what = view.servers.amplification_left_alone; !what.empty())
    put(json, "resource-amplification", what, "");
  if (harm != decide::QuotaHarm::none) {
    put_suppression(json, view, harmful, why);
    if (slo.evenkeel.brake.enable) put(json, brake::brake_policy.name, "best effort's CPU is not cut", why);
    if (slo.evenkeel.interference.act)
      put(json, interference::interference_policy.name, "the CPU of an antagonist is not limited", why);
  }
  json.end_array();
}

}  // namespace evenkeel::api
