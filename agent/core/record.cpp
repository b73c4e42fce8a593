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

}  // namespace evenkeel
