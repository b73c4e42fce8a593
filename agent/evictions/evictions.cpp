#include "agent/evictions/evictions.h"

#include <utility>

#include "agent/evictions/pod_killer.h"
#include "qos/eviction/state.h"

namespace evenkeel::evictions {

namespace {

constexpr Duration kAfterFailure = std::chrono::minutes(10);

/// Whether the processes of this pod may be killed: it is the pod that was chosen, it is not terminating
/// already, and no setting forbids it.
bool may_kill(const Pod* pod, const NodeSlo& slo, const NodeSnapshot& node) {
  return pod != nullptr && is_active(*pod) && !pod->terminating && !pod->unlisted && !pod->is_static &&
         !pod->hands_off && !slo.evenkeel.hands_off && slo.evenkeel.kill_without_api && !node.pods_stale;
}

}  // namespace

EvictionRoute Evictions::route() const {
  if (in_.report_only) return EvictionRoute::report_only;
  if (request_) return EvictionRoute::api;
  return in_.inputs.slo()->evenkeel.kill_without_api ? EvictionRoute::kill : EvictionRoute::unavailable;
}

void Evictions::update(eviction::EvictionFacts facts, MonoTime now, std::vector<eviction::Eviction>& chosen) {
  chosen.clear();
  if (pod_killer_) continue_kill(now);
  const NodeSlo& slo = *in_.inputs.slo();
  eviction::take_facts(facts, state_.use);
  auto victim = eviction::decide_eviction(in_.node, slo, state_);
  if (!victim) return;
  ++counters_.chosen[static_cast<std::size_t>(victim->gate)];
  const EvictionRoute route = this->route();
  record(*victim, now);
  if (route == EvictionRoute::api) request_(*victim);
  if (route == EvictionRoute::kill) start_kill(*victim, now);
  // The victim stays pending, so this is recorded once a minute and not for every pod in turn.
  if (route == EvictionRoute::unavailable)
    record_failure(victim->uid,
                   "no API server is configured, and extensions.evenkeel.killWithoutApi is not set", now);
  chosen.push_back(std::move(*victim));
}

void Evictions::start_kill(const eviction::Eviction& victim, MonoTime now) {
  const Pod* pod = in_.recorder.names().find_pod(victim.uid);
  const tree::Cgroup* cgroup = nullptr;
  if (const auto* sample = in_.node.pod(victim.uid); sample && sample->cgroup != kNoCgroup)
    cgroup = in_.tree.find(in_.node.cgroup(sample->cgroup)->id);
  const bool sound = cgroup != nullptr && cgroup->uid == victim.uid && cgroup->kind == CgroupKind::pod;
  const std::string dir = sound ? in_.tree.dir(*cgroup, Controller::cpu) : std::string();
  if (!sound || !may_kill(pod, *in_.inputs.slo(), in_.node) || !in_.host.on_kernel_fs(dir))
    return failed(victim.uid, "it has no cgroup in which its processes could be ended", kAfterFailure);
  pod_killer_.emplace(victim.uid, tree::PodProcesses(in_.host, in_.files, dir, cgroup->inode),
                      pod->eviction.grace.value_or(eviction::kDefaultGrace));
  continue_kill(now);
}

void Evictions::continue_kill(MonoTime now) {
  using State = PodKiller::Step::State;
  const std::string uid = pod_killer_->uid();
  if (!may_kill(in_.recorder.names().find_pod(uid), *in_.inputs.slo(), in_.node)) {
    in_.recorder.log()
        .info("pod-left-alone")
        .with("pod", in_.recorder.names().pod_name_of_uid(uid))
        .with("why", "another process ends it, or it may no longer be killed");
    return pod_killer_.reset();
  }
  const auto step = pod_killer_->step(now);
  if (step.state == State::in_progress) return;
  const Duration grace = pod_killer_->grace();
  pod_killer_.reset();
  if (step.state == State::failed) return failed(uid, step.why, kAfterFailure);
  killed(uid, grace, now);
}

void Evictions::killed(const std::string& uid, Duration grace, MonoTime now) {
  eviction::ended(state_, uid, now);
  ++counters_.pods_killed;
  in_.recorder.record({.kind = "ended", .why = "all of its processes have ended, without an API server"}, uid,
                      now);
  in_.recorder.log()
      .warning("pod-ended")
      .with("pod", in_.recorder.names().pod_name_of_uid(uid))
      .with("grace_seconds", runtime::seconds(grace));
}

void Evictions::failed(const std::string& uid, const std::string& why, Duration pause) {
  eviction::skip_pod(state_, uid, in_.clock.now() + pause);
  record_failure(uid, why, in_.clock.now());
}

void Evictions::gone(const std::string& uid, const std::string& why, Duration pause) {
  eviction::skip_pod(state_, uid, in_.clock.now() + pause);
  in_.recorder.log()
      .info("evict-gone")
      .with("pod", in_.recorder.names().pod_name_of_uid(uid))
      .with("why", why);
}

void Evictions::unanswered(const std::string& uid, const std::string& why) {
  record_failure(uid, why, in_.clock.now());
}

void Evictions::record(const eviction::Eviction& victim, MonoTime now) {
  const bool would = in_.recorder.dry_run() || route() == EvictionRoute::unavailable;
  const char* kind = would ? "would-evict" : "evict";
  const std::string pod = victim.namespace_ + "/" + victim.name;
  const std::string why = victim.why.text();
  in_.recorder.record({.kind = kind, .by = victim.by, .why = why}, victim.uid, now);
  in_.recorder.log()
      .warning(kind)
      .with("pod", pod)
      .with("uid", victim.uid)
      .with("by", victim.by)
      .with("why", why);
}

void Evictions::record_failure(const std::string& uid, const std::string& why, MonoTime now) {
  ++counters_.failures;
  in_.recorder.record({.kind = "not-evicted", .why = why}, uid, now);
  in_.recorder.log()
      .warning("not-evicted")
      .with("pod", in_.recorder.names().pod_name_of_uid(uid))
      .with("why", why);
}

}  // namespace evenkeel::evictions
