#include "agent/reporting/usage_reporting.h"

#include <utility>

#include "agent/document/units_text.h"
#include "agent/lender/collect_policy.h"
#include "agent/reporting/node_metric.h"

namespace evenkeel::reporting {

UsageReporting::UsageReporting(lender::Lender& lender, const NodeSnapshot& node,
                               record::ServerActivity& servers, const runtime::Clock& clock,
                               const runtime::WallClock& wall, runtime::Log& log)
    : lender_(lender), node_(node), servers_(servers), clock_(clock), wall_(wall), log_(log) {
  lender_.require_usage_history();
}

UsageReporting::~UsageReporting() { servers_.usage_reports = nullptr; }

bool UsageReporting::begin(runtime::EventLoop& loop, kube::KubeClient& api, kube::Random random,
                           kube::NodeMetricReporter::Options options) {
  auto reporter =
      kube::NodeMetricReporter::open(loop, api, clock_, std::move(random), std::move(options),
                                     {.status = [this] { return status(); },
                                      .interval = [this] { return interval(); },
                                      .stands = [this](const auto& object) { return observed(object); },
                                      .news = [this](const auto& state) { refresh_policy(state); }});
  if (!reporter) return false;
  reporter_.emplace(std::move(*reporter));
  servers_.usage_reports = &reporter_->state();
  return true;
}

std::string UsageReporting::status() const {
  const auto& lending = lender_.lending();
  static const std::vector<HostApplication> kNone;
  return node_metric_patch({.history = lending.history(),
                            .windows = lending.strategy().metric_aggregate_durations,
                            .pods = node_.pods_known ? node_.pod_specs.get() : nullptr,
                            .host_applications = node_.slo ? node_.slo->host_applications : kNone,
                            .prod = lending.prod(),
                            .unix_seconds = static_cast<std::int64_t>(wall_.unix_seconds())});
}

Duration UsageReporting::interval() const {
  return std::chrono::seconds(lender_.lending().strategy().metric_report_interval_seconds);
}

bool UsageReporting::observed(const std::string& node_metric) {
  auto policy = lender::collect_policy_in(node_metric);
  if (!policy) return false;
  lender_.set_collect_policy(std::move(*policy));
  return true;
}

void UsageReporting::refresh_policy(const record::ReportState& state) {
  if (last_message_ == state.last_error) return;
  last_message_ = state.last_error;
  if (!state.last_error.empty())
    return void(log_.warning("usage-not-reported").with("why", state.last_error));
  log_.info("reports-usage").with("interval", document::duration_text(interval()));
}

}  // namespace evenkeel::reporting
