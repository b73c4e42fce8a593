// Reports of what is lent and of what is used.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/history/usage_history.h"
#include "agent/kube/node/extended_resources.h"
#include "agent/kube/node/node_metric_reporter.h"
#include "agent/lender/lending.h"
#include "agent/record/health.h"
#include "agent/reporting/numa_usage.h"
#include "agent/runtime/log.h"
#include "qos/contention/contention.h"
#include "qos/lending/prod_reclaimable.h"
#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"

namespace evenkeel::reporting {

// Renders the usage of the node and its pods as the status of Koordinator's NodeMetric
// (slo.koordinator.sh/v1alpha1), which its scheduler, descheduler and manager read. Pure: does not measure or
// send it.

struct NodeMetricInput {
  const history::UsageHistory& history;
  const std::vector<Duration>& windows;    ///< of the percentiles
  const std::vector<Pod>* pods = nullptr;  ///< null: the pods are not known
  const std::vector<HostApplication>& host_applications;
  const std::optional<lending::ProdReclaimable>& prod;
  std::vector<NumaUsage> numa{};  ///< those with an unknown figure are left out
  /// What a service pod waits for, by its uid; null: it is not known. Empty: contention is not watched.
  std::function<const contention::StallPercents*(std::string_view)> stalls{};
  std::int64_t unix_seconds = 0;  ///< now
};

/// A merge patch that replaces every known field of the status, including what an earlier reporter left.
/// Empty while the usage of node or system is not known: readers would take a missing usage for zero, and
/// lend it out.
std::string node_metric_patch(const NodeMetricInput& input);

// Reports the node's usage to Koordinator through its NodeMetric, measured as that object asks. Does not
// measure, or decide when to report.

class UsageReporting {
 public:
  /// All of these must outlive it. Usage is kept from now on, so construct it before the first tick.
  UsageReporting(lender::Lender& lender, const NodeSnapshot& node,
                 const contention::ContentionState& contention, record::ServerActivity& servers,
                 const runtime::Clock& clock, const runtime::WallClock& wall, runtime::Log& log);
  UsageReporting(const UsageReporting&) = delete;
  UsageReporting& operator=(const UsageReporting&) = delete;
  ~UsageReporting();

  /// False: reporting is not possible. `host_root`: where the kernel's files about NUMA nodes are.
  bool begin(runtime::EventLoop& loop, kube::KubeClient& api, kube::Random random,
             kube::NodeMetricReporter::Options options, const std::string& host_root);

 private:
  [[nodiscard]] std::string status();
  [[nodiscard]] Duration interval() const;
  bool observed(const std::string& node_metric);
  void refresh_policy(const record::ReportState& state);

  lender::Lender& lender_;
  const NodeSnapshot& node_;
  const contention::ContentionState& contention_;
  record::ServerActivity& servers_;
  const runtime::Clock& clock_;
  const runtime::WallClock& wall_;
  runtime::Log& log_;
  std::optional<NumaUsageMeter> numa_{};
  std::optional<kube::NodeMetricReporter> reporter_{};
  std::optional<std::string> last_message_{};  ///< the last logged error; empty: success; absent: none yet
};

// Advertises what can be lent: nowhere, in a file, or on the Node. Writes only what qos/lending/advertised.h
// says is due, and pauses when another client (Koordinator's manager) writes the same resources. Does not
// compute amounts.

/// The parsed value of --report.
struct ReportTarget {
  enum class Kind : std::uint8_t { none, node_status, file } kind = Kind::none;
  std::string path{};
};
struct ParsedReportTarget {
  ReportTarget target{};
  std::string error{};
};
ParsedReportTarget parse_report_target(const std::string& text);

/// Replaces the whole file: {"batch-cpu":25000,…}. Returns the error; empty: written.
std::string write_report_file(const std::string& path, const lending::LentAmounts& amounts);

class Reporting {
 public:
  /// `lender` and `log` must outlive it.
  Reporting(ReportTarget target, lender::Lender& lender, runtime::Log& log)
      : target_(std::move(target)), lender_(lender), log_(log) {}

  /// The reporter that patches the Node. Set it before the first report().
  void set_reporter(kube::ExtendedResources reporter);
  /// Takes the amounts that the Node shows.
  void observed(const lending::LentAmounts& amounts, MonoTime now);
  void failed(const std::string& why);

  /// After each Lender::update().
  void report(MonoTime now);
  [[nodiscard]] bool paused_for_rival(MonoTime now) const { return now < paused_until_; }

 private:
  void write_file(MonoTime now);
  void patch_node(MonoTime now);
  void request(const lending::Advertised& wanted);
  void log_state(const lending::Advertised& wanted);
  ReportTarget target_;
  lender::Lender& lender_;
  runtime::Log& log_;
  std::optional<kube::ExtendedResources> reporter_{};
  std::optional<lending::LentAmounts> confirmed_{};  ///< the amounts on the Node after our last patch or read
  /// Requested and not confirmed yet; the newest is last. Any of them may be on the Node, since a response
  /// can get lost.
  std::vector<lending::LentAmounts> requested_{};
  bool unreported_ = false;  ///< the newest amounts were not logged, because the last request failed
  std::optional<MonoTime> checked_{};
  MonoTime paused_until_{};  ///< kept until the first look at the Node after it; zero: no pause
  int rivals_ = 0;
  std::string last_error_{};  ///< the last one logged
};

}  // namespace evenkeel::reporting
