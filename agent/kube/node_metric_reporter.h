// Reports to Koordinator what the node uses: patches the status of its NodeMetric, again and again, in
// intervals with jitter. May not: know what is reported (agent/reporting/node_metric.h does), or make the
// object (Koordinator's manager makes one for every Node, and says in it how it wants to be told).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/record/report_state.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

class NodeMetricReporter {
 public:
  struct Options {
    std::string node{};   ///< the Node's name
    double jitter = 0.1;  ///< share of an interval
    Duration min_interval{std::chrono::seconds(1)};
    Duration longest_wait{std::chrono::minutes(5)};  ///< after failures
  };
  struct Environment {
    /// The status as a merge patch, asked for when its turn has come; empty: it is not known.
    std::function<std::string()> status{};
    /// From one report to the next; may change with every answer.
    std::function<Duration()> interval{};
    /// The object as it stands there now; false: this is no NodeMetric.
    std::function<bool(const std::string&)> stands{};
    /// What has become of the report, or of the look at the object before the first one.
    std::function<void(const record::ReportState&)> news{};
  };

  /// `loop`, `api` and `clock` must outlive it. The first report follows when an interval has passed: it is
  /// not to rest on the first moments alone.
  static Result<NodeMetricReporter> open(runtime::EventLoop& loop, KubeClient& api,
                                         const runtime::Clock& clock, Random random, Options options,
                                         Environment house);
  NodeMetricReporter(NodeMetricReporter&&) noexcept;
  NodeMetricReporter& operator=(NodeMetricReporter&&) noexcept;
  ~NodeMetricReporter();

  [[nodiscard]] const record::ReportState& state() const;

 private:
  struct Impl;
  explicit NodeMetricReporter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
