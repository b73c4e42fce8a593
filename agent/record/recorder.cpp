#include "agent/record/recorder.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "agent/record/audit.h"
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
  const char* kind = write.restored ? (dry_run_ ? "would-restore" : "restore")
                     : dry_run_     ? "would-write"
                                    : "write";
  record({kind, write.path, write.old_text, write.new_text, decide::policy_name(write.by), why},
         names_.uid_of(write.cgroup), now);
  // A trial of "proof" has one line (event=trial), not two for each value.
  auto line = write.of_trial ? log_.debug(kind) : log_.info(kind);
  line.with("path", write.path)
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
                                 ? std::string("an unknown process")
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

void Recorder::record(const inputs::Inputs::Configuration& in_force, MonoTime now) {
  log_.info("configuration").with("source", in_force.source).with("fingerprint", in_force.fingerprint);
  const std::string why =
      in_force.source + " is in force, fingerprint " + std::to_string(in_force.fingerprint);
  audit_.record({.kind = "config", .why = why}, now);
}

void Recorder::record(const inputs::Inputs::Changed& changed, MonoTime now) {
  for (const auto& problem : changed.problems) {
    log_.error("input-refused").with("problem", problem);
    audit_.record({.kind = "config", .why = problem}, now);
  }
  if (const auto& now_in_force = changed.configuration) record(*now_in_force, now);
  for (const auto& what : changed.gone) {
    log_.warning("input-gone").with("what", what);
    audit_.record({.kind = "config", .why = what}, now);
  }
  for (const auto& what : changed.moved) {
    log_.warning("input-moved").with("what", what);
    audit_.record({.kind = "config", .why = what}, now);
  }
  for (const auto& what : changed.pools) {
    log_.info("node-strategies").with("what", what);
    audit_.record({.kind = "config", .why = what}, now);
  }
  for (const auto& what : changed.untrusted) {
    log_.warning("claim-refused").with("what", what);
    audit_.record({.kind = "config", .why = what}, now);
  }
  if (!changed.no_cpu_ratio.empty()) {
    log_.warning("no-cpu-ratio").with("why", changed.no_cpu_ratio);
    audit_.record({.kind = "config", .why = changed.no_cpu_ratio}, now);
  }
  for (const auto& name : changed.recovered) log_.info("input-recovered").with("input", name);
}

namespace {

/// A cgroup that gets orders again within this time, or whose reclaim ends for the same reason, is recorded
/// once.
constexpr Duration kRecordAgain = std::chrono::minutes(1);

/// Empty: reclaim continues, or has reclaimed the ordered amount.
std::string why_stopped(const ReclaimOutcome& outcome) {
  switch (outcome.end) {
    case ReclaimEnd::pressure:
      return "its tasks were stalled for memory";
    case ReclaimEnd::nothing_left:
      return "the kernel finds no more that it could take";
    case ReclaimEnd::failed:
      return std::string("the kernel said ") + errno_name(outcome.error);
    case ReclaimEnd::going:
    case ReclaimEnd::done:
    case ReclaimEnd::budget:
      return {};
  }
  return {};
}

}  // namespace

void ReclaimRecord::record(const std::vector<ReclaimOrder>& orders,
                           const std::vector<ReclaimOutcome>& outcomes, MonoTime now) {
  std::erase_if(recorded_, [&](const Recorded& one) { return now - one.ordered > kRecordAgain; });
  std::erase_if(ended_, [&](const Ended& one) { return now - one.at > kRecordAgain; });
  for (const auto& order : orders) {
    const auto outcome = std::ranges::find(outcomes, order.target, &ReclaimOutcome::target);
    const bool taken = order.wanted > Bytes{} || (outcome != outcomes.end() && outcome->requested > Bytes{});
    const auto recorded = std::ranges::find(recorded_, order.target, &Recorded::target);
    if (recorded != recorded_.end()) recorded->ordered = now;
    if (taken && recorded == recorded_.end()) record_start(order, now);
  }
  for (const auto& outcome : outcomes) record_end(outcome, now);
}

void ReclaimRecord::record_start(const ReclaimOrder& order, MonoTime now) {
  recorded_.push_back({order.target, now});
  const tree::Cgroup* cgroup = tree_.find(order.target);
  const char* kind = recorder_.dry_run() ? "would-reclaim" : "reclaim";
  const std::string path = cgroup != nullptr ? cgroup->path : std::string(), why = order.why.text();
  recorder_.record({.kind = kind, .path = path, .by = name(order.cause), .why = why},
                   recorder_.names().uid_of(order.target), now);
  recorder_.log().info(kind).with("cgroup", path).with("by", name(order.cause)).with("why", why);
}

void ReclaimRecord::record_end(const ReclaimOutcome& outcome, MonoTime now) {
  const std::string why = why_stopped(outcome);
  const tree::Cgroup* cgroup = why.empty() ? nullptr : tree_.find(outcome.target);
  if (cgroup == nullptr) return;
  const auto earlier = std::ranges::find(ended_, outcome.target, &Ended::target);
  if (earlier != ended_.end() && earlier->end == outcome.end) return;
  if (earlier != ended_.end()) ended_.erase(earlier);
  ended_.push_back({outcome.target, outcome.end, now});
  recorder_.record({.kind = "reclaim-stopped", .path = cgroup->path, .by = name(outcome.cause), .why = why},
                   cgroup->uid, now);
  recorder_.log()
      .info("reclaim-stopped")
      .with("cgroup", cgroup->path)
      .with("by", name(outcome.cause))
      .with("why", why);
}

void PodNames::update(std::shared_ptr<const std::vector<Pod>> pods) {
  by_uid_.clear();
  pods_ = std::move(pods);
  for (const Pod& pod : *pods_) by_uid_.emplace(pod.uid, &pod);
  find_namesakes();
}

/// A pod of a StatefulSet, or a static one, is replaced under its name while the old directory is still
/// there.
void PodNames::find_namesakes() {
  namesakes_.clear();
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (const bool unlisted : {false, true})
    for (const Pod& pod : *pods_)
      if (pod.unlisted == unlisted && !pod.name.empty() && !names.emplace(pod.namespace_, pod.name).second)
        namesakes_.insert(&pod);
}

std::string_view PodNames::uid_of(CgroupId id) const {
  const tree::Cgroup* cgroup = tree_.find(id.itself());
  return cgroup != nullptr ? std::string_view(cgroup->uid) : std::string_view();
}

const Pod* PodNames::find_pod(std::string_view uid) const {
  const auto found = by_uid_.find(uid);
  return found != by_uid_.end() && !found->second->name.empty() ? found->second : nullptr;
}

std::string PodNames::pod_name(CgroupId id) const { return pod_name_of_uid(uid_of(id)); }

std::string PodNames::pod_name_of_uid(std::string_view uid) const {
  const Pod* pod = find_pod(uid);
  return pod != nullptr ? pod->namespace_ + "/" + pod->name : std::string(uid);
}

std::string PodNames::display_name(CgroupId id) const {
  const tree::Cgroup* cgroup = tree_.find(id.itself());
  if (cgroup == nullptr) return id ? "gone" : "system";
  if (cgroup->uid.empty()) return cgroup->path;
  const std::string name = pod_name_of_uid(cgroup->uid);
  return namesakes_.contains(find_pod(cgroup->uid)) ? name + " (" + cgroup->uid + ")" : name;
}

bool PodNames::is_pod(std::string_view name_or_uid) const {
  return by_uid_.contains(name_or_uid) || std::ranges::any_of(by_uid_, [&](const auto& entry) {
           return pod_name_of_uid(entry.first) == name_or_uid;
         });
}

bool PodNames::knows_all_names() const {
  return std::ranges::none_of(by_uid_, [](const auto& entry) { return entry.second->name.empty(); });
}

}  // namespace evenkeel::record
