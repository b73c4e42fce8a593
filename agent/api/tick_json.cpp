#include <algorithm>
#include <optional>
#include <utility>

#include "agent/api/pages.h"
#include "agent/runtime/json.h"

namespace evenkeel::api {
namespace {

void put_write(runtime::Json& json, const executor::Written& write) {
  json.begin_object().member("path", write.path).member("old", write.old_text).member("new", write.new_text);
  json.member("by", decide::policy_name(write.by))
      .member("why", write.why.text())
      .member("restored", write.restored)
      .end_object();
}

void put_reclaim(runtime::Json& json, const AgentView& view, const ReclaimOrder& order, Bytes requested) {
  const tree::Cgroup* cgroup = view.tree().find(order.target);
  if (cgroup == nullptr) return;
  json.begin_object().member("path",
                             view.tree().dir(*cgroup, Controller::memory) + '/' + reclaim::kReclaimFile);
  json.member("old", "").member("new",
                                std::to_string(requested.count()) + (order.file_only ? " swappiness=0" : ""));
  json.member("by", name(order.cause)).member("why", order.why.text()).member("restored", false).end_object();
}

/// A reclaim order counts as a write, although it leaves no value to restore.
void put_reclaims(runtime::Json& json, const tick::TickResult& result, const AgentView& view) {
  for (const auto& order : result.reclaims) {
    if (view.recorder.dry_run() && order.wanted > Bytes{})
      put_reclaim(json, view, order, std::min(order.wanted, order.most));
    for (const auto& done : view.reclaimer.done())
      if (done.target == order.target) put_reclaim(json, view, order, done.requested);
  }
}

void put_refusal(runtime::Json& json, const executor::Refused& refusal) {
  std::string why = "the kernel refused '" + refusal.text + "'";
  if (!refusal.detail.empty()) why += " (" + refusal.detail + ")";
  if (refusal.quarantined) {
    why += "; tried again in " +
           std::to_string(std::chrono::duration_cast<std::chrono::seconds>(refusal.retry_in).count()) + " s";
  }
  json.begin_object().member("path", refusal.path).member("op", name(refusal.error.op));
  json.member("errno", errno_name(refusal.error.code)).member("why", why).end_object();
}

void put_problem(runtime::Json& json, const std::string& problem) {
  json.begin_object().member("path", problem.substr(0, problem.find(':'))).member("op", "parse");
  json.member("errno", "EINVAL").member("why", problem).end_object();
}

void put_foreign(runtime::Json& json, const executor::Foreign& foreign) {
  json.begin_object()
      .member("path", foreign.path)
      .member("ours", foreign.ours)
      .member("theirs", foreign.theirs);
  json.member("pid", foreign.writer.pid).member("command", foreign.writer.command);
  json.member("round", foreign.round).member("yielded", foreign.yielded).end_object();
}

void put_eviction(runtime::Json& json, const eviction::Eviction& eviction) {
  json.begin_object().member("namespace", eviction.namespace_).member("name", eviction.name);
  json.member("uid", eviction.uid).member("by", eviction.by).member("why", eviction.why.text());
  json.member("trigger", kFeatureGates[static_cast<std::size_t>(eviction.gate)]).end_object();
}

/// The source of an input, and its age.
void put_input(runtime::Json& json, const inputs::InputState& state, MonoTime now) {
  json.begin_object().member("name", state.name).member("source", state.path).member("good", state.usable);
  if (state.delivered && state.loaded) json.member("age_seconds", runtime::seconds(now - *state.loaded));
  if (!state.error.empty()) json.member("error", state.error);
  json.key("notices").begin_array();
  if (!state.origin.empty()) json.value(state.origin);
  for (const auto& notice : state.notices) json.value(notice);
  json.end_array().end_object();
}

template <class List, class Put>
void put_list(runtime::Json& json, std::string_view key, const List& list, Put put) {
  json.key(key).begin_array();
  for (const auto& item : list) put(json, item);
  json.end_array();
}

/// What an entry of `explain` is about: a cgroup (null: it is gone), and the pod that has it, if one does.
struct Subject {
  const tree::Cgroup* cgroup = nullptr;
  std::string pod{};
};

/// Absent: not about the wanted pod, which is a name or a uid; empty: all are wanted.
std::optional<Subject> subject_of(const AgentView& view, CgroupId id, std::string_view wanted_pod) {
  Subject found{view.tree().find(id.itself()), view.names().pod_name(id)};
  const bool wanted = wanted_pod.empty() || found.pod == wanted_pod ||
                      (found.cgroup != nullptr && found.cgroup->uid == wanted_pod);
  return wanted ? std::optional(std::move(found)) : std::nullopt;
}

void put_cgroup(runtime::Json& json, const Subject& subject) {
  json.member("cgroup", subject.cgroup != nullptr ? subject.cgroup->path : "");
}

void put_pod(runtime::Json& json, const Subject& subject) {
  if (!subject.pod.empty()) json.member("pod", subject.pod);
}

void put_file(runtime::Json& json, std::string_view path) {
  json.member("file", path.substr(path.rfind('/') + 1)).member("path", path);
}

void put_policy(runtime::Json& json, decide::PolicyIndex policy, const Reason& why) {
  json.member("policy", decide::policy_name(policy)).member("sentence", why.text());
}

/// Values that the agent leaves to their owners although a policy wants another.
void put_kept(runtime::Json& json, const AgentView& view, std::string_view pod) {
  json.key("kept").begin_array();
  for (const auto& kept : view.execution.kept()) {
    const auto subject = subject_of(view, kept.cgroup, pod);
    if (!subject || subject->cgroup == nullptr) continue;
    json.begin_object();
    put_cgroup(json, *subject);
    put_file(json, kept.path);
    json.member("value", kept.owners).member("wanted", kept.wanted);
    put_policy(json, kept.by, kept.why);
    put_pod(json, *subject);
    json.end_object();
  }
  json.end_array();
}

void put_managed(runtime::Json& json, const AgentView& view, std::string_view pod) {
  json.key("managed").begin_array();
  for (const auto& managed : view.execution.managed()) {
    const auto subject = subject_of(view, managed.cgroup, pod);
    if (!subject) continue;
    json.begin_object();
    put_cgroup(json, *subject);
    put_file(json, managed.path);
    json.member("value", managed.ours).member("original", managed.original);
    put_policy(json, managed.by, managed.why);
    json.member("since", runtime::seconds(managed.since)).member("yielded", managed.yielded);
    put_pod(json, *subject);
    json.end_object();
  }
  json.end_array();
}

void put_reclaim_orders(runtime::Json& json, const AgentView& view, std::string_view pod) {
  json.key("reclaims").begin_array();
  for (const auto& order : view.tick.result().reclaims) {
    const auto subject = subject_of(view, order.target, pod);
    if (!subject || subject->cgroup == nullptr) continue;
    json.begin_object();
    put_cgroup(json, *subject);
    json.member("by", name(order.cause)).member("sentence", order.why.text());
    put_pod(json, *subject);
    json.end_object();
  }
  json.end_array();
}

void put_errors(runtime::Json& json, const tick::TickResult& result) {
  json.key("errors").begin_array();
  for (const auto& refusal : result.report.refusals) put_refusal(json, refusal);
  for (const auto& problem : result.problems) put_problem(json, problem);
  json.end_array();
}

}  // namespace

std::string tick_line(const tick::TickResult& result, const AgentView& view) {
  std::string out;
  runtime::Json json(out);
  const bool dry_run = view.recorder.dry_run();
  json.begin_object().member("now", runtime::seconds(result.now));
  if (dry_run) json.key("writes").begin_array().end_array();
  json.key(dry_run ? "would_write" : "writes").begin_array();
  for (const auto& write : result.report.writes) put_write(json, write);
  put_reclaims(json, result, view);
  json.end_array();
  const std::vector<eviction::Eviction> none;
  put_list(json, "evictions", dry_run ? none : result.evictions, put_eviction);
  if (dry_run) put_list(json, "would_evict", result.evictions, put_eviction);
  put_report(json, view.lending);
  json.key("interference");
  put_accusations(json, view);
  put_errors(json, result);
  put_list(json, "foreign", result.report.foreign, put_foreign);
  json.member("deferred", result.report.deferred);
  json.end_object();
  return out;
}

std::string explain_json(const AgentView& view, std::string_view pod) {
  std::string out;
  runtime::Json json(out);
  json.begin_object();
  if (!pod.empty()) {
    const bool found = view.names().is_pod(pod);
    const bool can_tell = found || (view.node().pods_known && view.names().knows_all_names());
    json.key("pod").begin_object().member("name", pod);
    json.member("known", can_tell ? std::optional(found) : std::nullopt).end_object();
  }
  put_managed(json, view, pod);
  put_kept(json, view, pod);
  put_reclaim_orders(json, view, pod);
  json.key("inputs").begin_array();
  for (const auto& state : view.inputs.states())
    if (!state.path.empty()) put_input(json, state, view.tick.result().now);
  json.end_array().key("eviction");
  put_eviction_verdicts(json, view);
  json.key("lending");
  put_lending(json, view.lending);
  json.key("objectives");
  put_objectives(json, view);
  json.key("withdrawn");
  put_withdrawn(json, view);
  json.key("limitations");
  put_limitations(json, view);
  json.end_object();
  return out;
}

}  // namespace evenkeel::api
