#include <algorithm>

#include "qos/cpu/identity/policies.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::identity {

namespace {

bool enabled(const NodeSlo& slo) {
  return slo.qos.lsr.cpu.enable || slo.qos.ls.cpu.enable || slo.qos.be.cpu.enable;
}

/// The identity of a pod follows its label; without one, Kubernetes' QoS class. A best-effort label counts in
/// any branch.
const CpuQos* class_of(const QosStrategy& qos, const Pod& pod) {
  const bool plain_guaranteed = !pod.label_qos && pod.kube_qos == KubeQos::guaranteed;
  if (plain_guaranteed && !qos.lsr.cpu.enable) return &qos.ls.cpu;
  return cpu_strategy_of(qos, default_qos(pod));
}

// cpu.idle is for pods only: on the BestEffort directory a kubelet that starts later would fail to write its
// shares there, one level down the batch pods' own containers would all be equal. A group with cpu.idle=1
// refuses every write to its shares, so shares are touched only where the kernel has no cpu.idle (< 5.15).
void yield_to_others(const CgroupSample& cgroup, bool v2, decide::Intents& out) {
  if (cgroup.applied.cpu_idle)
    out.want(cgroup.id, Knob::cpu_idle, 1,
             because("its class yields: it runs when no sibling cgroup wants the CPU"));
  else if (cgroup.applied.cpu_shares)
    out.want(cgroup.id, Knob::cpu_shares, v2 ? 1 : 2,
             because("its class yields and gets the smallest share: this kernel has no cpu.idle"));
}

bool yields(const QosStrategy& qos, const CpuQos& of_class) {
  return qos.cpu_policy == CpuQosPolicy::group_identity ? of_class.group_identity < 0
                                                        : of_class.sched_idle == 1;
}

bool yields(const QosStrategy& qos, const Pod& pod) {
  if (pod.group_identity && qos.cpu_policy == CpuQosPolicy::group_identity) return false;
  const CpuQos* of_class = class_of(qos, pod);
  return of_class != nullptr && of_class->enable && yields(qos, *of_class);
}

/// The kernel compares cpu.idle among siblings only: where all of them yield, it has no effect. The QoS
/// directories and slices beside a pod of the top level or a host application run services.
bool has_siblings_that_do_not_yield(const NodeSnapshot& node, const QosStrategy& qos, CgroupIndex parent) {
  if (parent == kNoCgroup || parent == node.kubepods) return true;
  const auto yields_too = [&](const PodSample& pod) { return yields(qos, *pod.spec); };
  const auto is_child = [&](CgroupIndex index) {
    const CgroupSample* cgroup = node.cgroup(index);
    return cgroup != nullptr && cgroup->parent == parent;
  };
  return std::ranges::any_of(
             node.pods, [&](const PodSample& pod) { return is_child(pod.cgroup) && !yields_too(pod); }) ||
         std::ranges::any_of(node.host_applications, [&](const HostApplicationSample& app) {
           const CpuQos* of_class = cpu_strategy_of(qos, app.spec->qos);
           return is_child(app.cgroup) &&
                  (of_class == nullptr || !of_class->enable || !yields(qos, *of_class));
         });
}

/// Of one parent after the other: most pods have the same one.
class Siblings {
 public:
  Siblings(const NodeSnapshot& node, const QosStrategy& qos) : node_(node), qos_(qos) {}
  bool differ(CgroupIndex parent) {
    if (!known_ || parent != parent_) differ_ = has_siblings_that_do_not_yield(node_, qos_, parent);
    parent_ = parent;
    known_ = true;
    return differ_;
  }

 private:
  const NodeSnapshot& node_;
  const QosStrategy& qos_;
  CgroupIndex parent_ = kNoCgroup;
  bool known_ = false, differ_ = false;
};

/// The shares that the pod's lent CPU stands for (batch-resources writes them) divide the CPU among batch
/// pods; cpu.idle would cancel them.
bool is_owed_shares(const NodeSlo& slo, const Pod& pod) {
  const auto requests = pod_requests(pod);
  return slo.evenkeel.batch_resources && (requests.batch_cpu || requests.mid_cpu);
}

bool has_identity(const QosStrategy& qos, const CgroupSample& cgroup) {
  return qos.cpu_policy == CpuQosPolicy::group_identity && cgroup.applied.plain.has(Knob::cpu_bvt);
}

// A service that sets its own identity gets it where the kernel supports it, and nothing in its place
// elsewhere, however negative: cpu.idle is not a weak form of it. It removes the shares of the pod's requests
// (the kernel does not keep both), so that any busy neighbour may starve a service that only wanted lower
// priority. For that effect, label the pod BE.
void identify_by_own(const CgroupSample& cgroup, std::int64_t identity, decide::Intents& out) {
  if (cgroup.applied.plain.has(Knob::cpu_bvt))
    out.want(cgroup.id, Knob::cpu_bvt, identity,
             because("group identity {} of its pod's annotation", identity));
}

/// `shares_owed`: to the pod; then it does not become idle class.
void identify(const NodeSnapshot& node, const QosStrategy& qos, CgroupIndex index, const CpuQos* of_class,
              bool shares_owed, Siblings& siblings, decide::Intents& out) {
  const CgroupSample* cgroup = node.cgroup(index);
  if (!cgroup || !of_class || !of_class->enable) return;
  const bool may_idle = cgroup->kind == CgroupKind::pod || cgroup->kind == CgroupKind::host_application;
  if (has_identity(qos, *cgroup))
    out.want(cgroup->id, Knob::cpu_bvt, of_class->group_identity,
             because("group identity {} of its class", of_class->group_identity));
  else if (may_idle && !shares_owed && yields(qos, *of_class) && siblings.differ(cgroup->parent))
    yield_to_others(*cgroup, node.v2_cpu, out);
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, decide::NoState& /*state*/,
            CpuIdentityPolicy::Facts /*facts*/, decide::Intents& out) {
  Siblings siblings(node, slo.qos);
  const auto say = [&](CgroupIndex index, const CpuQos* of_class, bool shares_owed = false) {
    identify(node, slo.qos, index, of_class, shares_owed, siblings, out);
  };
  const auto say_for_pod = [&](CgroupIndex index, const Pod& pod) {
    const bool own = pod.group_identity && slo.qos.cpu_policy == CpuQosPolicy::group_identity;
    if (!own) return say(index, class_of(slo.qos, pod), is_owed_shares(slo, pod));
    if (const CgroupSample* cgroup = node.cgroup(index)) identify_by_own(*cgroup, *pod.group_identity, out);
  };
  // Required by the Anolis kernel before any identity counts; a value in systemStrategy takes precedence.
  const bool switched = node.node.settings.has(Knob::sched_group_identity_enabled);
  if (slo.qos.cpu_policy == CpuQosPolicy::group_identity && switched &&
      !slo.system.sched_group_identity_enabled)
    out.want(kNodeItself, Knob::sched_group_identity_enabled, 1,
             because("the kernel applies group identities only while this is 1"));
  say(node.burstable, &slo.qos.ls.cpu);
  say(node.besteffort, &slo.qos.be.cpu);
  for (const PodSample& pod : node.pods)
    if (!provisioning(node, pod)) say_for_pod(pod.cgroup, *pod.spec);
  for (const ContainerSample& container : node.containers)
    say_for_pod(container.cgroup, *node.pods[static_cast<std::size_t>(container.pod)].spec);
  for (const HostApplicationSample& app : node.host_applications) {
    const CgroupSample* cgroup = node.cgroup(app.cgroup);
    if (cgroup && !provisioning(node, *cgroup)) say(app.cgroup, cpu_strategy_of(slo.qos, app.spec->qos));
  }
}

}  // namespace

constinit const CpuIdentityPolicy cpu_identity_policy{
    {"cpu-identity", "best effort yields the CPU to all other tasks (bvt, cpu.idle or the smallest shares)",
     enabled},
    decide};

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

bool core_sched_enabled(const NodeSlo& slo) {
  return slo.qos.cpu_policy == CpuQosPolicy::core_sched &&
         (slo.qos.lsr.cpu.enable || slo.qos.ls.cpu.enable || slo.qos.be.cpu.enable);
}

void decide_pod(const NodeSnapshot& node, const NodeSlo& slo, const PodSample& pod, std::string& name,
                decide::CoreSchedPlan& plan) {
  const CpuQos* of_class = class_of(slo.qos, *pod.spec);
  const auto* cgroup = node.cgroup(pod.cgroup);
  const auto policy = label(*pod.spec, kPolicyLabel);
  if (!of_class || !of_class->enable || !cgroup || cgroup->hands_off || policy == "none") return;
  const bool exclusive = policy == "exclusive";
  name_group(exclusive ? std::string_view(pod.spec->uid) : label(*pod.spec, kGroupLabel),
             of_class->core_expeller, name);
  plan.add({cgroup->id, plan.group(name),
            exclusive ? because("the pod shares no core with any other pod")
            : of_class->core_expeller
                ? because("shares cores with its group only; its class keeps others away (coreExpeller)")
                : because("shares cores with its group only")});
}

void decide_core_sched(const NodeSnapshot& node, const NodeSlo& slo, CoreSchedState& state,
                       CoreSchedPolicy::Facts /*facts*/, decide::Intents& out) {
  out.core_sched().by = out.policy();
  if (slo.evenkeel.hands_off) return;
  for (const PodSample& pod : node.pods)
    if (is_active(*pod.spec) || pod.spec->from_cgroup_only)
      decide_pod(node, slo, pod, state.group_name, out.core_sched());
}

}  // namespace

constinit const CoreSchedPolicy core_sched_policy{
    {"core-sched", "groups of pods that may share a physical core, with no pod outside of the group",
     core_sched_enabled},
    decide_core_sched};

}  // namespace evenkeel::identity
