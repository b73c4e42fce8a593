#include "agent/reporting/reporting.h"

#include <algorithm>
#include <utility>

#include "agent/document/units_text.h"
#include "agent/lender/lending.h"
#include "agent/runtime/files.h"
#include "agent/runtime/json.h"
#include "agent/runtime/log.h"

namespace evenkeel::reporting {

UsageReporting::UsageReporting(lender::Lender& lender, const NodeSnapshot& node,
                               const contention::ContentionState& contention, record::ServerActivity& servers,
                               const runtime::Clock& clock, const runtime::WallClock& wall, runtime::Log& log)
    : lender_(lender),
      node_(node),
      contention_(contention),
      servers_(servers),
      clock_(clock),
      wall_(wall),
      log_(log) {
  lender_.require_usage_history();
}

UsageReporting::~UsageReporting() { servers_.usage_reports = nullptr; }

bool UsageReporting::begin(runtime::EventLoop& loop, kube::KubeClient& api, kube::Random random,
                           kube::NodeMetricReporter::Options options, const std::string& host_root) {
  auto reporter =
      kube::NodeMetricReporter::open(loop, api, clock_, std::move(random), std::move(options),
                                     {.status = [this] { return status(); },
                                      .interval = [this] { return interval(); },
                                      .stands = [this](const auto& object) { return observed(object); },
                                      .on_change = [this](const auto& state) { refresh_policy(state); }});
  if (!reporter) return false;
  numa_.emplace(host_root).measure(node_, clock_.now());
  reporter_.emplace(std::move(*reporter));
  servers_.usage_reports = &reporter_->state();
  return true;
}

std::string UsageReporting::status() {
  const auto& lending = lender_.lending();
  const auto window = std::chrono::seconds(lending.strategy().metric_aggregate_duration_seconds);
  numa_->measure(node_, clock_.now());
  static const std::vector<HostApplication> kNone;
  return node_metric_patch(
      {.history = lending.history(),
       .windows = lending.strategy().metric_aggregate_durations,
       .pods = node_.pods_known ? node_.pod_specs.get() : nullptr,
       .host_applications = node_.slo ? node_.slo->host_applications : kNone,
       .prod = lending.prod(),
       .numa = numa_->averages(window, lending.history().recent().system),
       .stalls = [this](std::string_view uid) { return contention::stalls_of(node_, uid, contention_); },
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

namespace {

// Another client that writes these resources does so every few minutes, so the Node is read that often.
constexpr Duration kLookInterval = std::chrono::minutes(5);
// As with the kernel's files: the agent writes again after a pause, and gives up after three foreign writes.
constexpr Duration kStandBack = std::chrono::minutes(10);
constexpr int kMostRounds = 3;
constexpr std::size_t kMostAsked = 64;  // ten minutes without a response

std::string amounts_text(const lending::LentAmounts& amounts) {
  std::string out;
  runtime::Json json(out);
  json.begin_object();
  for (std::size_t i = 0; i < lending::kLentCount; ++i)
    if (amounts[i]) json.member(lending::kLentNames[i], *amounts[i]);
  json.end_object();
  return out;
}

}  // namespace

ParsedReportTarget parse_report_target(const std::string& text) {
  using Kind = ReportTarget::Kind;
  if (text == "none") return {{Kind::none, {}}, {}};
  if (text == "node-status") return {{Kind::node_status, {}}, {}};
  if (text.starts_with("file:") && text.size() > 5) return {{Kind::file, text.substr(5)}, {}};
  return {{}, "--report: found '" + text + "'; legal: none, node-status, file:PATH"};
}

std::string write_report_file(const std::string& path, const lending::LentAmounts& amounts) {
  const auto done = runtime::replace_text_file(path, amounts_text(amounts) + '\n');
  return done ? std::string() : path + ": cannot be written: " + errno_name(done.error().code);
}

void Reporting::set_reporter(kube::ExtendedResources reporter) { reporter_.emplace(std::move(reporter)); }

void Reporting::report(MonoTime now) {
  const auto& advertised = lender_.lending().advertised();
  if (target_.kind == ReportTarget::Kind::node_status) return patch_node(now);
  if (!advertised || !advertised->write) return;
  if (target_.kind == ReportTarget::Kind::file) return write_file(now);
  lender_.mark_advertised(now);  // nothing is written, but the amounts are held steady as if they were
}

void Reporting::write_file(MonoTime now) {
  const auto error = write_report_file(target_.path, lender_.lending().advertised()->amounts);
  if (!error.empty()) return failed(error);
  last_error_.clear();
  lender_.mark_advertised(now);
}

void Reporting::patch_node(MonoTime now) {
  if (!reporter_ || !(confirmed_ || lender_.lending().strategy().enable)) return;
  if (!checked_ || now - *checked_ >= kLookInterval) {
    checked_ = now;
    reporter_->resync();
  }
  const auto& advertised = lender_.lending().advertised();
  if (!confirmed_ || !advertised || !advertised->write || paused_for_rival(now)) return;
  if (advertised->amounts != (requested_.empty() ? *confirmed_ : requested_.back()))
    return request(*advertised);
  if (requested_.empty()) lender_.mark_advertised(now);  // due for renewal, and still on the Node
}

void Reporting::request(const lending::Advertised& wanted) {
  if (requested_.size() == kMostAsked) requested_.erase(requested_.begin());
  requested_.push_back(wanted.amounts);
  unreported_ = !last_error_.empty();
  if (!unreported_) log_state(wanted);
  reporter_->resync();  // another client may have written since
  reporter_->publish(wanted.amounts, lender_.lending().standing(), wanted.urgent);
}

void Reporting::log_state(const lending::Advertised& wanted) {
  log_.info("advertise").with("amounts", amounts_text(wanted.amounts)).with("why", wanted.why);
}

void Reporting::observed(const lending::LentAmounts& amounts, MonoTime now) {
  last_error_.clear();
  const bool ours = std::find(requested_.begin(), requested_.end(), amounts) != requested_.end();
  const bool changed = confirmed_ && *confirmed_ != amounts && !ours;
  confirmed_ = amounts;
  const bool newest = ours && requested_.back() == amounts;
  if (newest) requested_.clear();
  const auto& advertised = lender_.lending().advertised();
  if (newest && advertised && advertised->amounts == amounts) {
    if (std::exchange(unreported_, false)) log_state(*advertised);
    return lender_.mark_advertised(now);
  }
  lender_.set_standing(amounts);
  // What was written during a pause, and is found then or at its end, contradicts nothing that we wrote.
  const bool in_pause = paused_until_ != MonoTime{};
  if (!paused_for_rival(now)) paused_until_ = {};
  if (!changed || in_pause) return patch_node(now);
  // Neither the previous amounts nor ones that we requested: another client advertises on this Node.
  requested_.clear();
  reporter_->pause();
  const bool for_good = ++rivals_ >= kMostRounds;
  paused_until_ = for_good ? MonoTime::max() : now + kStandBack;
  log_.warning("advertised-by-another")
      .with("amounts", amounts_text(amounts))
      .with("stands_back", for_good ? "until the restart" : "10 minutes");
}

void Reporting::failed(const std::string& why) {
  if (why == last_error_) return;
  last_error_ = why;
  log_.warning("not-advertised").with("why", why);
}

}  // namespace evenkeel::reporting
