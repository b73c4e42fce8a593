// Reports the node's usage to Koordinator through its NodeMetric, measured as that object asks. Does not
// measure, or decide when to report.
#pragma once

#include <optional>
#include <string>

#include "agent/kube/node_metric_reporter.h"
#include "agent/lender/lender.h"
#include "agent/record/traffic.h"
#include "agent/runtime/log.h"

namespace evenkeel::reporting {

class UsageReporting {
 public:
  /// All of these must outlive it. Usage is kept from now on, so construct it before the first tick.
  UsageReporting(lender::Lender& lender, const NodeSnapshot& node, record::ServerActivity& servers,
                 const runtime::Clock& clock, const runtime::WallClock& wall, runtime::Log& log);
  UsageReporting(const UsageReporting&) = delete;
  UsageReporting& operator=(const UsageReporting&) = delete;
  ~UsageReporting();

  /// False: reporting is not possible.
  bool begin(runtime::EventLoop& loop, kube::KubeClient& api, kube::Random random,
             kube::NodeMetricReporter::Options options);

 private:
  [[nodiscard]] std::string status() const;
  [[nodiscard]] Duration interval() const;
  bool observed(const std::string& node_metric);
  void refresh_policy(const record::ReportState& state);

  lender::Lender& lender_;
  const NodeSnapshot& node_;
  record::ServerActivity& servers_;
  const runtime::Clock& clock_;
  const runtime::WallClock& wall_;
  runtime::Log& log_;
  std::optional<kube::NodeMetricReporter> reporter_{};
  std::optional<std::string> last_message_{};  ///< the last logged error; empty: success; absent: none yet
};

}  // namespace evenkeel::reporting
