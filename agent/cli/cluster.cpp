#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "agent/cli/setup.h"

namespace evenkeel::cli {

reporting::ParsedReportTarget report_target(const Flags& flags, bool api_known) {
  auto parsed = reporting::parse_report_target(flags.report);
  if (parsed.target.kind == reporting::ReportTarget::Kind::node_status && !api_known)
    parsed.error = "--report node-status: " + std::string(kNoApiServer);
  if (flags.dry_run) parsed.target = {};
  return parsed;
}

namespace {

/// What is done to a pod that slows a service (agent/record/interference_record.cpp): the reasons of its
/// Events.
const char* reason_for_suspect(std::string_view kind) {
  constexpr std::array<std::pair<std::string_view, const char*>, 7> kReasons = {
      {{"antagonist-limited", "AntagonistLimited"},
       {"antagonist-confirmed", "AntagonistConfirmed"},
       {"antagonist-cleared", "AntagonistCleared"},
       {"antagonist-released", "AntagonistReleased"},
       {"suspect-tested", "SuspectTested"},
       {"suspect-innocent", "SuspectInnocent"},
       {"suspect-unclear", "SuspectUnclear"}}};
  const auto found = std::ranges::find(kReasons, kind, &std::pair<std::string_view, const char*>::first);
  return found == kReasons.end() ? nullptr : found->second;
}

}  // namespace

std::optional<kube::PodEvent> event_for_owner(const Pod& pod, const record::AuditEvent& event) {
  const std::string path(event.path), why(event.why), text(event.new_text), by(event.by);
  const auto of = [&](const char* reason, std::string message) {
    return kube::PodEvent{pod.namespace_, pod.name, pod.uid, reason, std::move(message), path};
  };
  if (event.kind == "evict") return of("Evicting", "evenkeel requests the eviction of this pod: " + why);
  if (event.kind == "not-evicted")
    return of("NotEvicted", "the eviction of this pod was requested but not confirmed: " + why);
  if (event.kind == "refused")
    return of("LeverRefused", "evenkeel cannot apply " + text + " to " + path + ": " + why);
  if (event.kind == "yielded")
    return of("LeverYielded", by + " has set " + path + " to " + text + ", where it stays from now on");
  if (const char* reason = reason_for_suspect(event.kind)) return of(reason, why);
  return std::nullopt;
}

kube::PodEvent event_for_node(const record::AuditEvent& event) {
  const std::string about(event.path), why(event.why);
  if (event.kind == "contended") return {.reason = "Contended", .message = why, .about = about};
  if (event.kind == "contention-over") return {.reason = "ContentionOver", .message = why, .about = about};
  return {.reason = "LeverHarms", .message = about + ": " + why, .about = about};
}

bool Cluster::send_pod_events(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name) {
  auto events = kube::PodEvents::open(
      loop, api, clock_, wall_, kube::system_random(), {.node = node_name},
      [this](const std::string& why) { log_.warning("event-not-taken").with("why", why); });
  if (!events) return false;
  events_.emplace(std::move(*events));
  agent_.parts().servers.pod_events = &events_->counters();
  agent_.parts().recorder.set_pod_event_sink([this](const Pod& pod, const record::AuditEvent& event) {
    if (const auto owner_event = event_for_owner(pod, event)) events_->send(*owner_event);
  });
  agent_.parts().recorder.set_node_event_sink(
      [this](const record::AuditEvent& event) { events_->send(event_for_node(event)); });
  return true;
}

std::string reporting_problem(const Flags& flags, bool api_known) {
  for (const auto& [flag, requested] : {std::pair{"--events", flags.events},
                                        {"--node-metric", flags.node_metric},
                                        {"--node-topology", flags.node_topology}})
    if (requested && !api_known) return flag + (": " + std::string(kNoApiServer));
  return {};
}

bool Cluster::connect(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name,
                      const ReportsTo& reports) {
  if (reports.owners && !send_pod_events(loop, api, node_name)) return false;
  if (reports.usage && !report_usage(loop, api, node_name, reports)) return false;
  if (reports.topology && !report_topology(loop, api, node_name, reports)) return false;
  auto evictor =
      kube::Evictor::open(loop, api, kube::system_random(),
                          [this](const kube::Evictor::Outcome& outcome) { eviction_outcome(outcome); });
  if (!evictor) return false;
  evictor_.emplace(std::move(*evictor));
  agent_.parts().evictions.set_evictor(
      [this](const eviction::Eviction& victim) { evictor_->request(victim); });
  return target_.kind != reporting::ReportTarget::Kind::node_status || report_on_node(loop, api, node_name);
}

bool Cluster::report_on_node(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name) {
  auto reporter = kube::ExtendedResources::open(
      loop, api, clock_, kube::system_random(), {.node = node_name},
      {.stands = [this](const lending::LentAmounts& amounts) { reporting_.observed(amounts, clock_.now()); },
       .failed = [this](const std::string& why) { reporting_.failed(why); }});
  auto condition = kube::NodeCondition::open(
      loop, api, clock_, wall_, kube::system_random(), {.node = node_name},
      [this](const std::string& why) { log_.warning("condition-not-sent").with("why", why); });
  auto taint = kube::NodeTaint::open(
      loop, api, clock_, kube::system_random(), {.node = node_name},
      [this](const std::string& why) { log_.warning("taint-not-sent").with("why", why); });
  auto amplification = kube::NodeAmplification::open(
      loop, api, clock_, kube::system_random(), {.node = node_name},
      {.failed = [this](const std::string& why) { log_.warning("amplification-not-sent").with("why", why); },
       .left_alone =
           [this](const std::string& why) {
             agent_.parts().servers.amplification_left_alone = why;
             if (!why.empty()) log_.warning("amplification-left-alone").with("why", why);
           }});
  if (!reporter || !condition || !taint || !amplification) return false;
  reporting_.set_reporter(std::move(*reporter));
  on_node_.emplace(OnNode{std::move(*condition), std::move(*taint), std::move(*amplification)});
  return true;
}

bool Cluster::report_usage(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name,
                           const ReportsTo& reports) {
  const AgentParts parts = agent_.parts();
  const auto& policies = agent_.view().policies;
  usage_.emplace(parts.lender, agent_.view().node(), policies.of<contention::ContentionState>(),
                 parts.servers, clock_, wall_, log_);
  return usage_->begin(loop, api, kube::system_random(), {.node = node_name}, reports.host_root);
}

bool Cluster::report_topology(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name,
                              const ReportsTo& reports) {
  const AgentParts parts = agent_.parts();
  topology_.emplace(parts.lender, agent_.view().node(), parts.servers, reports.host_root, clock_, log_);
  return topology_->begin(loop, api, reports.kubelet, kube::system_random(), {.node = node_name});
}

void Cluster::eviction_outcome(const kube::Evictor::Outcome& outcome) {
  auto& evictions = agent_.parts().evictions;
  switch (outcome.kind) {
    case kube::Evictor::Outcome::Kind::accepted:
      return void(log_.info("evict-accepted").with("uid", outcome.uid));
    case kube::Evictor::Outcome::Kind::gone:
      return evictions.gone(outcome.uid, outcome.why, outcome.not_before);
    case kube::Evictor::Outcome::Kind::refused:
      return evictions.failed(outcome.uid, outcome.why, outcome.not_before);
    case kube::Evictor::Outcome::Kind::unknown:
      return evictions.unanswered(outcome.uid, outcome.why);
  }
}

void Cluster::lend() {
  agent_.lend(clock_.now());
  reporting_.report(clock_.now());
  if (!on_node_) return;
  const auto contended = agent_.view().contended();
  on_node_->condition.publish({.degraded = agent_.view().degraded(), .contended = contended});
  const auto& settings = agent_.view().inputs.slo()->evenkeel.contention;
  on_node_->taint.publish(settings.enable && settings.taint ? std::optional(contended.has_value())
                                                            : std::nullopt);
  publish_amplification();
}

/// Not before NodeSLO, Node and CPUs are known: what an earlier run has left would go, and come back.
void Cluster::publish_amplification() {
  const auto view = agent_.view();
  const NodeSnapshot& node = view.node();
  const auto known = [&](inputs::Inputs::Which which) { return view.inputs.state(which).loaded.has_value(); };
  if (!known(inputs::Inputs::kNodeSlo) || !known(inputs::Inputs::kNode) || node.topology.cpus.empty()) return;
  const auto& settings = view.inputs.slo()->evenkeel;
  // Where no quota is divided, services take what they took before.
  const bool wanted =
      settings.resource_amplification == ResourceAmplification::automatic && !settings.hands_off;
  on_node_->amplification.publish(wanted ? view.observer.roster().cpu_ratio_of_table() : std::nullopt,
                                  node.object.annotations.contains(kube::kAmplificationMark), clock_.now());
}

void Cluster::disconnect() {
  constexpr Duration kPatience = std::chrono::seconds(2);
  if (!on_node_) return;
  on_node_->condition.clear(kPatience);
  on_node_->taint.clear(kPatience);
  on_node_->amplification.clear(kPatience);
}

}  // namespace evenkeel::cli
