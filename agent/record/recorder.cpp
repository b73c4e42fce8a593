#include "agent/record/recorder.h"

#include <string>

#include "agent/runtime/clock.h"
#include "qos/decide/policy.h"

namespace evenkeel::record {

void Recorder::record(AuditEvent event, std::string_view uid, MonoTime now) {
  const std::string pod_name = names_.pod_name_of_uid(uid);
  event.pod = pod_name;
  audit_.record(event, now);
  const Pod* pod = names_.find_pod(uid);
  if (pod != nullptr && pod_event_sink_) pod_event_sink_(*pod, event);
}

void Recorder::record(const executor::Report& report, MonoTime now) {
  for (const auto& write : report.writes) record(write, now);
  for (const auto& refusal : report.refusals) record(refusal, now);
  if (report.deferred > 0) record_deferred(report.deferred, now);
  for (const auto& foreign : report.foreign) record(foreign, now);
}

void Recorder::record(const executor::Written& write, MonoTime now) {
  const std::string why = write.why.text();
  const char* kind = write.restored ? "restore" : dry_run_ ? "would-write" : "write";
  record({kind, write.path, write.old_text, write.new_text, decide::policy_name(write.by), why},
         names_.uid_of(write.cgroup), now);
  log_.info(kind)
      .with("path", write.path)
      .with("old", write.old_text)
      .with("new", write.new_text)
      .with("by", decide::policy_name(write.by))
      .with("why", why);
}

void Recorder::record(const executor::Refused& refusal, MonoTime now) {
  std::string why = std::string("the kernel said ") + errno_name(refusal.error.code);
  if (!refusal.detail.empty()) why += ": " + refusal.detail;
  record({.kind = "refused", .path = refusal.path, .new_text = refusal.text, .why = why},
         names_.uid_of(refusal.cgroup), now);
  auto line = log_.warning("refused");
  line.with("path", refusal.path).with("value", refusal.text);
  line.with("errno", errno_name(refusal.error.code));
  if (!refusal.detail.empty()) line.with("detail", refusal.detail);
  line.with("retry_in_seconds", runtime::seconds(refusal.retry_in));
}

void Recorder::record_deferred(std::size_t changes, MonoTime now) {
  const std::string why = "one tick changes at most " +
                          std::to_string(executor::ExecutorOptions::kMaxChanges) + " files: deferred " +
                          std::to_string(changes) + " changes to the next tick";
  audit_.record({.kind = "deferred", .why = why}, now);
  log_.warning("deferred").with("changes", changes).with("why", why);
}

void Recorder::record(const executor::Foreign& foreign, MonoTime now) {
  const char* kind = foreign.yielded ? "yielded" : "foreign";
  const std::string writer = foreign.writer.pid == 0
                                 ? std::string("somebody")
                                 : foreign.writer.command + "[" + std::to_string(foreign.writer.pid) + "]";
  record({.kind = kind,
          .path = foreign.path,
          .old_text = foreign.ours,
          .new_text = foreign.theirs,
          .by = writer},
         names_.uid_of(foreign.cgroup), now);
  log_.warning(foreign.yielded ? "yielded" : "foreign-write")
      .with("path", foreign.path)
      .with("ours", foreign.ours)
      .with("theirs", foreign.theirs)
      .with("writer", writer)
      .with("round", foreign.round);
}

void Recorder::record(const inputs::Inputs::Changed& changed, MonoTime now) {
  for (const auto& problem : changed.problems) {
    log_.error("input-refused").with("problem", problem);
    audit_.record({.kind = "config", .why = problem}, now);
  }
  for (const auto& what : changed.gone) {
    log_.warning("input-gone").with("what", what);
    audit_.record({.kind = "config", .why = what}, now);
  }
  for (const auto& name : changed.recovered) log_.info("input-recovered").with("input", name);
}

}  // namespace evenkeel::record
