#include "agent/reporting/usage_reporting.h"

#include <utility>

#include "agent/lender/collect_policy.h"
#include "agent/reporting/node_metric.h"
#include "qos/model/units_text.h"

namespace evenkeel {

UsageReporting::UsageReporting(Agent& agent, const Clock& clock, const WallClock& wall, Log& log)
    : agent_(agent), clock_(clock), wall_(wall), log_(log) {
  agent_.keep_usage();
}

UsageReporting::~UsageReporting() { agent_.show(static_cast<const ReportState*>(nullptr)); }

bool UsageReporting::begin(EventLoop& loop, KubeClient& api, Random random,
                           NodeMetricReporter::Options options) {
  auto reporter = NodeMetricReporter::open(loop, api, clock_, std::move(random), std::move(options),
                                           {.status = [this] { return status(); },
                                            .interval = [this] { return interval(); },
                                            .stands = [this](const auto& object) { return stands(object); },
                                            .news = [this](const auto& state) { news(state); }});
  if (!reporter) return false;
  reporter_.emplace(std::move(*reporter));
  agent_.show(&reporter_->state());
  return true;
}

std::string UsageReporting::status() const {
  const auto& lending = agent_.lending();
  const auto& node = agent_.snapshot();
  static const std::vector<HostApplication> kNone;
  return node_metric_patch({.history = lending.history(),
                            .windows = lending.strategy().metric_aggregate_durations,
                            .pods = node.pods_known ? node.pod_specs.get() : nullptr,
                            .host_applications = node.slo ? node.slo->host_applications : kNone,
                            .prod = lending.prod(),
                            .unix_seconds = static_cast<std::int64_t>(wall_.unix_seconds())});
}

Duration UsageReporting::interval() const {
  return std::chrono::seconds(agent_.lending().strategy().metric_report_interval_seconds);
}

bool UsageReporting::stands(const std::string& node_metric) {
  auto policy = collect_policy_in(node_metric);
  if (!policy) return false;
  agent_.measure_as(std::move(*policy));
  return true;
}

void UsageReporting::news(const ReportState& state) {
  if (said_ == state.trouble) return;
  said_ = state.trouble;
  if (!state.trouble.empty()) return void(log_.warning("usage-not-reported").with("why", state.trouble));
  log_.info("reports-usage").with("interval", duration_text(interval()));
}

}  // namespace evenkeel
