#include "agent/cli/cluster.h"

namespace evenkeel {

ParsedReportTarget report_target(const Flags& flags, bool api_known) {
  auto parsed = parse_report_target(flags.report);
  if (parsed.target.kind == ReportTarget::Kind::node_status && !api_known)
    parsed.error = "--report node-status: no API server is known; legal: with --kubeconfig FILE, or in a pod";
  if (flags.dry_run) parsed.target = {};
  return parsed;
}

bool Cluster::connect(EventLoop& loop, KubeClient& api, const std::string& node_name) {
  auto evictor =
      Evictor::open(loop, api, system_random(), [this](const Evictor::Outcome& outcome) { heard(outcome); });
  if (!evictor) return false;
  evictor_.emplace(std::move(*evictor));
  agent_.evict_through([this](const Eviction& victim) { evictor_->ask(victim); });
  if (target_.kind != ReportTarget::Kind::node_status) return true;
  auto reporter = NodeReporter::open(
      loop, api, clock_, system_random(), {.node = node_name},
      {.stands = [this](const LentAmounts& amounts) { reporting_.stands(amounts, clock_.now()); },
       .failed = [this](const std::string& why) { reporting_.failed(why); }});
  if (!reporter) return false;
  reporting_.report_through(std::move(*reporter));
  return true;
}

void Cluster::heard(const Evictor::Outcome& outcome) {
  if (outcome.kind == Evictor::Outcome::Kind::accepted)
    return void(log_.info("evict-accepted").with("uid", outcome.uid));
  agent_.eviction_failed(outcome.uid, outcome.why, outcome.not_before);
}

void Cluster::lend() {
  agent_.lend(clock_.now());
  reporting_.tell(clock_.now());
}

}  // namespace evenkeel
