#include "qos/memory/policies.h"

namespace evenkeel::memory {
namespace {

bool enabled(const NodeSlo& slo) { return slo.evenkeel.oom_score_adj; }

void decide(const NodeSnapshot& node, const NodeSlo& slo, decide::NoState& /*state*/,
            OomScorePolicy::Facts /*facts*/, decide::Intents& out) {
  out.oom_scores().by = out.policy();
  if (slo.evenkeel.hands_off) return;
  for (const ContainerSample& container : node.containers) {
    const CgroupSample* cgroup = node.cgroup(container.cgroup);
    if (cgroup == nullptr || cgroup->hands_off) continue;
    if (container.spec == nullptr || !container.spec->oom_score_adj) continue;
    const Pod& pod = *node.pods[static_cast<std::size_t>(container.pod)].spec;
    if (!is_active(pod) || !is_best_effort(pod)) continue;
    const int wanted = *container.spec->oom_score_adj;
    out.oom_scores().members.push_back(
        {cgroup->id, wanted, because("the pod asks for an oom_score_adj of {}", wanted)});
  }
}

}  // namespace

constinit const OomScorePolicy oom_score_policy{
    {"oom-score-adj", "best effort's processes get the oom_score_adj that their pod asks for", enabled},
    decide};

}  // namespace evenkeel::memory
