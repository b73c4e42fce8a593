// What the node uses, told to Koordinator by way of its NodeMetric, and measured as that object asks. May
// not: measure, or decide when it is told.
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
  /// All of these must outlive it. From now on usage is kept, so: before the first tick.
  UsageReporting(lender::Lender& lender, const NodeSnapshot& node, record::ServerActivity& servers,
                 const runtime::Clock& clock, const runtime::WallClock& wall, runtime::Log& log);
  UsageReporting(const UsageReporting&) = delete;
  UsageReporting& operator=(const UsageReporting&) = delete;
  ~UsageReporting();

  /// False: it cannot be told.
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
  std::optional<std::string>
      last_message_{};  ///< the last trouble; empty: that it works; absent: nothing yet
};

}  // namespace evenkeel::reporting
