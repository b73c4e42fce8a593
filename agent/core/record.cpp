// What a report says, put on record: the audit log and the event lines.
#include "agent/core/agent.h"

namespace evenkeel {
std::string Agent::pod_of(CgroupId id) const {
  const Cgroup* cgroup = tree_ ? tree_->find(id) : nullptr;
  if (cgroup == nullptr || cgroup->uid.empty()) return {};
  if (const auto found = pod_by_uid_.find(cgroup->uid);
      found != pod_by_uid_.end() && !found->second->name.empty())
    return found->second->namespace_ + "/" + found->second->name;
  return cgroup->uid;
}

void Agent::record_deferred(std::size_t changes, MonoTime now) {
  const std::string why = "one tick changes at most " + std::to_string(ExecutorOptions::kMostChanges) +
                          " files: deferred " + std::to_string(changes) + " changes to the next tick";
  audit_.record({.kind = "deferred", .why = why}, now);
  log_.warning("deferred").with("changes", changes).with("why", why);
}

void Agent::record(const Report& report, MonoTime now) {
  for (const auto& write : report.writes) {
    const std::string why = write.why.text();
    const std::string pod = pod_of(write.cgroup);
    const char* kind = write.restored ? "restore" : options_.dry_run ? "would-write" : "write";
    audit_.record({kind, write.path, write.old_text, write.new_text, policy_name(write.by), why, pod}, now);
    log_.info(kind)
        .with("path", write.path)
        .with("old", write.old_text)
        .with("new", write.new_text)
        .with("by", policy_name(write.by))
        .with("why", why);
  }
  for (const auto& refusal : report.refusals) {
    const std::string why = std::string("the kernel said ") + errno_name(refusal.error.code);
    audit_.record({.kind = "refused", .path = refusal.path, .new_text = refusal.text, .why = why}, now);
    log_.warning("refused")
        .with("path", refusal.path)
        .with("value", refusal.text)
        .with("errno", errno_name(refusal.error.code))
        .with("retry_in_seconds", seconds(refusal.retry_in));
  }
  if (report.deferred > 0) record_deferred(report.deferred, now);
  for (const auto& foreign : report.foreign) {
    const char* kind = foreign.yielded ? "yielded" : "foreign";
    const std::string who = foreign.writer.pid == 0
                                ? std::string("somebody")
                                : foreign.writer.command + "[" + std::to_string(foreign.writer.pid) + "]";
    audit_.record(
        {.kind = kind, .path = foreign.path, .old_text = foreign.ours, .new_text = foreign.theirs, .by = who},
        now);
    log_.warning(foreign.yielded ? "yielded" : "foreign-write")
        .with("path", foreign.path)
        .with("ours", foreign.ours)
        .with("theirs", foreign.theirs)
        .with("writer", who)
        .with("round", foreign.round);
  }
}

void Agent::record(const Eviction& eviction, MonoTime now) {
  const char* kind = options_.dry_run ? "would-evict" : "evict";
  const std::string pod = eviction.namespace_ + "/" + eviction.name;
  const std::string why = eviction.why.text();
  audit_.record({.kind = kind, .by = eviction.by, .why = why, .pod = pod}, now);
  log_.warning(kind).with("pod", pod).with("uid", eviction.uid).with("by", eviction.by).with("why", why);
}

}  // namespace evenkeel
