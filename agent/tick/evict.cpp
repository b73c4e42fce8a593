// The agent's side of eviction: who has to go, who asks or sees to it, and what came of it.
#include "agent/tick/agent.h"
#include "qos/eviction/use.h"

namespace evenkeel::tick {
namespace {

constexpr Duration kAfterFailure = std::chrono::minutes(10);

/// What does not end the wrong life: the pod is the one that was judged, and nobody else is at it or forbids
/// it.
bool may_be_ended(const Pod* pod, const NodeSlo& slo, const NodeSnapshot& node) {
  return pod != nullptr && is_active(*pod) && !pod->terminating && !pod->unlisted && !pod->is_static &&
         !pod->hands_off && !slo.evenkeel.hands_off && slo.evenkeel.kill_without_api && !node.pods_stale;
}

}  // namespace

EvictionRoute Agent::eviction_route() const {
  if (options_.stepped || options_.dry_run) return EvictionRoute::report_only;
  if (request_eviction_) return EvictionRoute::api;
  return inputs_.slo()->evenkeel.kill_without_api ? EvictionRoute::kill : EvictionRoute::unavailable;
}

/// Only on fresh measurements: this is never done between two ticks.
void Agent::evict(MonoTime now) {
  result_.evictions.clear();
  if (pod_killer_) continue_kill(now);
  eviction::take_facts(eviction::EvictionFacts(policy_state_.shared), eviction_state_.use);
  auto victim = eviction::decide_eviction(snapshot_, *inputs_.slo(), eviction_state_);
  if (!victim) return;
  ++counters_.evictions[static_cast<std::size_t>(victim->gate)];
  const EvictionRoute way = eviction_route();
  record(*victim, now);
  if (way == EvictionRoute::api) request_eviction_(*victim);
  if (way == EvictionRoute::kill) start_kill(*victim, now);
  // The victim stays pending, so that this is said once a minute and not of every pod in turn.
  if (way == EvictionRoute::unavailable)
    record_failed_eviction(
        victim->uid, "no API server is configured, and extensions.evenkeel.killWithoutApi is not set", now);
  result_.evictions.push_back(std::move(*victim));
}

void Agent::start_kill(const eviction::Eviction& victim, MonoTime now) {
  const Pod* pod = find_pod(victim.uid);
  const tree::Cgroup* cgroup = nullptr;
  if (const auto* sample = snapshot_.pod(victim.uid); sample && sample->cgroup != kNoCgroup)
    cgroup = tree_->find(snapshot_.cgroup(sample->cgroup)->id);
  const bool sound = cgroup != nullptr && cgroup->uid == victim.uid && cgroup->kind == CgroupKind::pod;
  const std::string dir = sound ? tree_->dir(*cgroup, Controller::cpu) : std::string();
  if (!sound || !may_be_ended(pod, *inputs_.slo(), snapshot_) || !host_.on_kernel_fs(dir))
    return eviction_failed(victim.uid, "it has no cgroup in which its processes could be ended",
                           kAfterFailure);
  pod_killer_.emplace(victim.uid, tree::PodProcesses(host_, files_, dir, cgroup->inode),
                      pod->eviction.grace.value_or(eviction::kUsualGrace));
  continue_kill(now);
}

void Agent::continue_kill(MonoTime now) {
  using Is = PodKiller::Step::State;
  const std::string uid = pod_killer_->uid();
  if (!may_be_ended(find_pod(uid), *inputs_.slo(), snapshot_)) {
    log_.info("pod-left-alone")
        .with("pod", pod_name_of_uid(uid))
        .with("why", "somebody else ends it, or it may not be ended any more");
    return pod_killer_.reset();
  }
  const auto step = pod_killer_->step(now);
  if (step.state == Is::in_progress) return;
  const double grace_seconds = runtime::seconds(pod_killer_->grace());
  pod_killer_.reset();
  if (step.state == Is::failed) return eviction_failed(uid, step.why, kAfterFailure);
  eviction::ended(eviction_state_, uid, now);
  ++counters_.pods_killed;
  record({.kind = "ended", .why = "all of its processes have ended, without an API server"}, uid, now);
  log_.warning("pod-ended").with("pod", pod_name_of_uid(uid)).with("grace_seconds", grace_seconds);
}

void Agent::eviction_failed(const std::string& uid, const std::string& why, Duration pause) {
  eviction::pass_over(eviction_state_, uid, clock_.now() + pause);
  record_failed_eviction(uid, why, clock_.now());
}

void Agent::eviction_unanswered(const std::string& uid, const std::string& why) {
  record_failed_eviction(uid, why, clock_.now());
}

void Agent::record_failed_eviction(const std::string& uid, const std::string& why, MonoTime now) {
  ++counters_.eviction_failures;
  record({.kind = "not-evicted", .why = why}, uid, now);
  log_.warning("not-evicted").with("pod", pod_name_of_uid(uid)).with("why", why);
}

}  // namespace evenkeel::tick
