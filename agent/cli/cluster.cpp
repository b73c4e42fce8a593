#include "agent/cli/cluster.h"

#include "agent/cli/kube_setup.h"

namespace evenkeel {

ParsedReportTarget report_target(const Flags& flags, bool api_known) {
  auto parsed = parse_report_target(flags.report);
  if (parsed.target.kind == ReportTarget::Kind::node_status && !api_known)
    parsed.error = "--report node-status: " + std::string(kNoApiServer);
  if (flags.dry_run) parsed.target = {};
  return parsed;
}

std::optional<PodEvent> owners_event(const Pod& pod, const AuditEvent& event) {
  const std::string path(event.path), why(event.why), text(event.new_text), by(event.by);
  const auto of = [&](const char* reason, std::string message) {
    return PodEvent{pod.namespace_, pod.name, pod.uid, reason, std::move(message), path};
  };
  if (event.kind == "evict") return of("Evicting", "evenkeel asks this pod to go: " + why);
  if (event.kind == "not-evicted") return of("NotEvicted", "this pod was asked to go and stays: " + why);
  if (event.kind == "refused") return of("LeverRefused", path + " cannot be set to " + text + ": " + why);
  if (event.kind == "yielded")
    return of("LeverYielded", by + " has set " + path + " to " + text + ", where it stays from now on");
  return std::nullopt;
}

bool Cluster::tell_owners(EventLoop& loop, KubeClient& api, const std::string& node_name) {
  auto events =
      PodEvents::open(loop, api, clock_, wall_, system_random(), {.node = node_name},
                      [this](const std::string& why) { log_.warning("event-not-taken").with("why", why); });
  if (!events) return false;
  events_.emplace(std::move(*events));
  agent_.show(events_->counters());
  agent_.owners_hear([this](const Pod& pod, const AuditEvent& event) {
    if (const auto told = owners_event(pod, event)) events_->tell(*told);
  });
  return true;
}

std::string telling_problem(const Flags& flags, bool api_known) {
  for (const auto& [flag, asked] :
       {std::pair{"--events", flags.events}, {"--node-metric", flags.node_metric}})
    if (asked && !api_known) return flag + (": " + std::string(kNoApiServer));
  return {};
}

bool Cluster::connect(EventLoop& loop, KubeClient& api, const std::string& node_name, const Tells& tells) {
  if (tells.owners && !tell_owners(loop, api, node_name)) return false;
  if (tells.usage && !report_usage(loop, api, node_name)) return false;
  auto evictor =
      Evictor::open(loop, api, system_random(), [this](const Evictor::Outcome& outcome) { heard(outcome); });
  if (!evictor) return false;
  evictor_.emplace(std::move(*evictor));
  agent_.evict_through([this](const Eviction& victim) { evictor_->ask(victim); });
  return target_.kind != ReportTarget::Kind::node_status || report_on_node(loop, api, node_name);
}

bool Cluster::report_on_node(EventLoop& loop, KubeClient& api, const std::string& node_name) {
  auto reporter = NodeReporter::open(
      loop, api, clock_, system_random(), {.node = node_name},
      {.stands = [this](const LentAmounts& amounts) { reporting_.stands(amounts, clock_.now()); },
       .failed = [this](const std::string& why) { reporting_.failed(why); }});
  auto condition = NodeCondition::open(
      loop, api, clock_, wall_, system_random(), {.node = node_name},
      [this](const std::string& why) { log_.warning("condition-not-told").with("why", why); });
  if (!reporter || !condition) return false;
  reporting_.report_through(std::move(*reporter));
  condition_.emplace(std::move(*condition));
  return true;
}

bool Cluster::report_usage(EventLoop& loop, KubeClient& api, const std::string& node_name) {
  usage_.emplace(agent_, clock_, wall_, log_);
  return usage_->begin(loop, api, system_random(), {.node = node_name});
}

void Cluster::heard(const Evictor::Outcome& outcome) {
  if (outcome.kind == Evictor::Outcome::Kind::accepted)
    return void(log_.info("evict-accepted").with("uid", outcome.uid));
  if (outcome.kind == Evictor::Outcome::Kind::unknown)
    return agent_.eviction_unanswered(outcome.uid, outcome.why);
  agent_.eviction_failed(outcome.uid, outcome.why, outcome.not_before);
}

void Cluster::lend() {
  agent_.lend(clock_.now());
  reporting_.tell(clock_.now());
  if (condition_) condition_->say(agent_.degraded());
}

void Cluster::leave() {
  constexpr Duration kPatience = std::chrono::seconds(2);
  if (condition_) condition_->take_off(kPatience);
}

}  // namespace evenkeel
