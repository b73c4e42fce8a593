// What a report says, put on record: the audit log and the event lines.
#include "agent/tick/agent.h"

namespace evenkeel::tick {

std::optional<Degraded> Agent::degraded() const {
  return tick::degraded(
      {inputs_.states(), snapshot_.pods_known, snapshot_.pods_stale, executor_->counters()});
}

executor::HandTotals Agent::actuator_totals() const {
  executor::HandTotals sum;
  for (const executor::Hand* hand : actuators()) sum += hand->totals();
  return sum;
}

const Pod* Agent::find_pod(std::string_view uid) const {
  const auto found = pod_by_uid_.find(uid);
  return found != pod_by_uid_.end() && !found->second->name.empty() ? found->second : nullptr;
}

std::string_view Agent::uid_of(CgroupId id) const {
  const tree::Cgroup* cgroup = tree_ ? tree_->find(id.itself()) : nullptr;
  return cgroup != nullptr ? std::string_view(cgroup->uid) : std::string_view();
}

std::string Agent::pod_name(CgroupId id) const { return pod_name_of_uid(uid_of(id)); }

std::string Agent::display_name(CgroupId id) const {
  const tree::Cgroup* cgroup = tree_->find(id.itself());
  if (cgroup == nullptr) return id ? "gone" : "system";
  return cgroup->uid.empty() ? cgroup->path : pod_name_of_uid(cgroup->uid);
}

std::string Agent::pod_name_of_uid(std::string_view uid) const {
  const Pod* pod = find_pod(uid);
  return pod != nullptr ? pod->namespace_ + "/" + pod->name : std::string(uid);
}

void Agent::record(record::AuditEvent event, std::string_view uid, MonoTime now) {
  const std::string title = pod_name_of_uid(uid);
  event.pod = title;
  audit_.record(event, now);
  const Pod* pod = find_pod(uid);
  if (pod != nullptr && pod_event_sink_) pod_event_sink_(*pod, event);
}

void Agent::record_deferred(std::size_t changes, MonoTime now) {
  const std::string why = "one tick changes at most " +
                          std::to_string(executor::ExecutorOptions::kMostChanges) + " files: deferred " +
                          std::to_string(changes) + " changes to the next tick";
  audit_.record({.kind = "deferred", .why = why}, now);
  log_.warning("deferred").with("changes", changes).with("why", why);
}

void Agent::record(const executor::Report& report, MonoTime now) {
  for (const auto& write : report.writes) {
    const std::string why = write.why.text();
    const char* kind = write.restored ? "restore" : options_.dry_run ? "would-write" : "write";
    record({kind, write.path, write.old_text, write.new_text, decide::policy_name(write.by), why},
           uid_of(write.cgroup), now);
    log_.info(kind)
        .with("path", write.path)
        .with("old", write.old_text)
        .with("new", write.new_text)
        .with("by", decide::policy_name(write.by))
        .with("why", why);
  }
  for (const auto& refusal : report.refusals) {
    std::string why = std::string("the kernel said ") + errno_name(refusal.error.code);
    if (!refusal.detail.empty()) why += ": " + refusal.detail;
    record({.kind = "refused", .path = refusal.path, .new_text = refusal.text, .why = why},
           uid_of(refusal.cgroup), now);
    auto line = log_.warning("refused");
    line.with("path", refusal.path).with("value", refusal.text);
    line.with("errno", errno_name(refusal.error.code));
    if (!refusal.detail.empty()) line.with("detail", refusal.detail);
    line.with("retry_in_seconds", runtime::seconds(refusal.retry_in));
  }
  if (report.deferred > 0) record_deferred(report.deferred, now);
  for (const auto& foreign : report.foreign) {
    const char* kind = foreign.yielded ? "yielded" : "foreign";
    const std::string who = foreign.writer.pid == 0
                                ? std::string("somebody")
                                : foreign.writer.command + "[" + std::to_string(foreign.writer.pid) + "]";
    record(
        {.kind = kind, .path = foreign.path, .old_text = foreign.ours, .new_text = foreign.theirs, .by = who},
        uid_of(foreign.cgroup), now);
    log_.warning(foreign.yielded ? "yielded" : "foreign-write")
        .with("path", foreign.path)
        .with("ours", foreign.ours)
        .with("theirs", foreign.theirs)
        .with("writer", who)
        .with("round", foreign.round);
  }
}

void Agent::record(const eviction::Eviction& eviction, MonoTime now) {
  const bool would = options_.dry_run || eviction_route() == EvictionRoute::unavailable;
  const char* kind = would ? "would-evict" : "evict";
  const std::string pod = eviction.namespace_ + "/" + eviction.name;
  const std::string why = eviction.why.text();
  record({.kind = kind, .by = eviction.by, .why = why}, eviction.uid, now);
  log_.warning(kind).with("pod", pod).with("uid", eviction.uid).with("by", eviction.by).with("why", why);
}

}  // namespace evenkeel::tick
