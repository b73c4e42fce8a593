// What the node uses, told to Koordinator by way of its NodeMetric, and measured as that object asks. May
// not: measure, or decide when it is told.
#pragma once

#include <optional>
#include <string>

#include "agent/kube/node_metric_reporter.h"
#include "agent/runtime/log.h"
#include "agent/tick/agent.h"

namespace evenkeel {

class UsageReporting {
 public:
  /// All of these must outlive it. From now on usage is kept, so: before the first tick.
  UsageReporting(Agent& agent, const Clock& clock, const WallClock& wall, Log& log);
  UsageReporting(const UsageReporting&) = delete;
  UsageReporting& operator=(const UsageReporting&) = delete;
  ~UsageReporting();

  /// False: it cannot be told.
  bool begin(EventLoop& loop, KubeClient& api, Random random, NodeMetricReporter::Options options);

 private:
  [[nodiscard]] std::string status() const;
  [[nodiscard]] Duration interval() const;
  bool stands(const std::string& node_metric);
  void news(const ReportState& state);

  Agent& agent_;
  const Clock& clock_;
  const WallClock& wall_;
  Log& log_;
  std::optional<NodeMetricReporter> reporter_{};
  std::optional<std::string> said_{};  ///< the last trouble; empty: that it works; absent: nothing yet
};

}  // namespace evenkeel
