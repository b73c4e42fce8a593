// Reports the node's resource use to Koordinator: patches the status of its NodeMetric at an interval with
// jitter. Does not compute the report (agent/reporting/reporting.h does) or create the object
// (Koordinator's manager creates one per Node and sets the reporting options in it).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/record/health.h"
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
    /// The status as a merge patch, computed when the report is due; empty: not known yet.
    std::function<std::string()> status{};
    /// Time between two reports; may change with every answer.
    std::function<Duration()> interval{};
    /// Takes the object as the server holds it; false: it is not a NodeMetric.
    std::function<bool(const std::string&)> stands{};
    /// The outcome of a report, or of the read of the object before the first one.
    std::function<void(const record::ReportState&)> on_change{};
  };

  /// `loop`, `api` and `clock` must outlive it. The first report follows after one full interval, so that it
  /// does not rest on the first moments alone.
  static Result<NodeMetricReporter> open(runtime::EventLoop& loop, KubeClient& api,
                                         const runtime::Clock& clock, Random random, Options options,
                                         Environment environment);
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
