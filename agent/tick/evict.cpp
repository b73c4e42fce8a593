// The agent's side of eviction: who has to go, who asks or sees to it, and what came of it.
#include "agent/tick/agent.h"
#include "qos/eviction/interference_evict.h"

namespace evenkeel {
namespace {

constexpr Duration kAfterFailure = std::chrono::minutes(10);

/// What does not end the wrong life: the pod is the one that was judged, and nobody else is at it or forbids
/// it.
bool may_be_ended(const Pod* pod, const NodeSlo& slo, const NodeSnapshot& node) {
  return pod != nullptr && is_active(*pod) && !pod->terminating && !pod->unlisted && !pod->is_static &&
         !pod->hands_off && !slo.evenkeel.hands_off && slo.evenkeel.kill_without_api && !node.pods_stale;
}

}  // namespace

EvictionWay Agent::eviction_way() const {
  if (options_.stepped || options_.dry_run) return EvictionWay::told;
  if (ask_to_go_) return EvictionWay::asked;
  return inputs_.slo()->evenkeel.kill_without_api ? EvictionWay::ended : EvictionWay::nobody_to_ask;
}

/// Only on fresh measurements: this is never done between two ticks.
void Agent::evict(MonoTime now) {
  result_.evictions.clear();
  if (ending_) go_on_ending(now);
  eviction_state_.use.braked = policy_state_.brake.cpu.on;
  find_antagonists(policy_state_.interference, inputs_.slo()->evenkeel.interference,
                   eviction_state_.use.antagonists);
  auto victim = decide_eviction(snapshot_, *inputs_.slo(), eviction_state_);
  if (!victim) return;
  ++counters_.evictions[static_cast<std::size_t>(victim->gate)];
  const EvictionWay way = eviction_way();
  record(*victim, now);
  if (way == EvictionWay::asked) ask_to_go_(*victim);
  if (way == EvictionWay::ended) begin_ending(*victim, now);
  // The victim stays pending, so that this is said once a minute and not of every pod in turn.
  if (way == EvictionWay::nobody_to_ask)
    not_evicted(victim->uid, "no API server is configured, and extensions.evenkeel.killWithoutApi is not set",
                now);
  result_.evictions.push_back(std::move(*victim));
}

void Agent::begin_ending(const Eviction& victim, MonoTime now) {
  const Pod* pod = named_pod(victim.uid);
  const Cgroup* cgroup = nullptr;
  if (const auto* sample = snapshot_.pod(victim.uid); sample && sample->cgroup != kNoCgroup)
    cgroup = tree_->find(snapshot_.cgroup(sample->cgroup)->id);
  const bool sound = cgroup != nullptr && cgroup->uid == victim.uid && cgroup->kind == CgroupKind::pod;
  const std::string dir = sound ? tree_->dir(*cgroup, Controller::cpu) : std::string();
  if (!sound || !may_be_ended(pod, *inputs_.slo(), snapshot_) || !host_.on_kernel_fs(dir))
    return eviction_failed(victim.uid, "it has no cgroup in which its processes could be ended",
                           kAfterFailure);
  ending_.emplace(victim.uid, PodProcesses(host_, files_, dir, cgroup->inode),
                  pod->eviction.grace.value_or(kUsualGrace));
  go_on_ending(now);
}

void Agent::go_on_ending(MonoTime now) {
  using Is = PodEnding::Step::Is;
  const std::string uid = ending_->uid();
  if (!may_be_ended(named_pod(uid), *inputs_.slo(), snapshot_)) {
    log_.info("pod-left-alone")
        .with("pod", pod_named(uid))
        .with("why", "somebody else ends it, or it may not be ended any more");
    return ending_.reset();
  }
  const auto step = ending_->step(now);
  if (step.is == Is::goes_on) return;
  const double grace_seconds = seconds(ending_->grace());
  ending_.reset();
  if (step.is == Is::failed) return eviction_failed(uid, step.why, kAfterFailure);
  ended(eviction_state_, uid, now);
  ++counters_.pods_ended;
  record({.kind = "ended", .why = "all of its processes have ended, without an API server"}, uid, now);
  log_.warning("pod-ended").with("pod", pod_named(uid)).with("grace_seconds", grace_seconds);
}

void Agent::eviction_failed(const std::string& uid, const std::string& why, Duration pause) {
  pass_over(eviction_state_, uid, clock_.now() + pause);
  not_evicted(uid, why, clock_.now());
}

void Agent::eviction_unanswered(const std::string& uid, const std::string& why) {
  not_evicted(uid, why, clock_.now());
}

void Agent::not_evicted(const std::string& uid, const std::string& why, MonoTime now) {
  ++counters_.eviction_failures;
  record({.kind = "not-evicted", .why = why}, uid, now);
  log_.warning("not-evicted").with("pod", pod_named(uid)).with("why", why);
}

}  // namespace evenkeel
