// The running agent's links to its cluster: eviction requests, reports of lending and usage, and events for
// pods' owners. Without an API server there are none, and the agent still works.
#pragma once

#include <optional>
#include <string>

#include "agent/agent.h"
#include "agent/cli/flags.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/evictor.h"
#include "agent/kube/node_condition.h"
#include "agent/kube/pod_events.h"
#include "agent/reporting/reporting.h"
#include "agent/reporting/usage_reporting.h"

namespace evenkeel::cli {

/// The target of --report if it is possible; none in a dry run.
reporting::ParsedReportTarget report_target(const Flags& flags, bool api_known);
/// An audit event about a pod as a Kubernetes Event for its owner. Absent: it does not concern the owner.
std::optional<kube::PodEvent> event_for_owner(const Pod& pod, const record::AuditEvent& event);
/// Why --events or --node-metric is not possible; empty: possible, or not requested.
std::string reporting_problem(const Flags& flags, bool api_known);

class Cluster {
 public:
  /// All of these must outlive it.
  Cluster(reporting::ReportTarget target, Agent& agent, const runtime::Clock& clock,
          const runtime::WallClock& wall, runtime::Log& log)
      : agent_(agent),
        clock_(clock),
        wall_(wall),
        log_(log),
        target_(std::move(target)),
        reporting_(target_, agent.parts().lender, log) {}

  struct ReportsTo {
    bool owners = false;  ///< pod events, for the owners of pods
    bool usage = false;   ///< the node's usage, in the NodeMetric
  };
  /// Before the first tick. False: the connection cannot be set up.
  bool connect(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name,
               const ReportsTo& tells);
  /// Computes what can be lent and advertises it; also updates the agent's condition on the Node.
  void lend();
  /// The agent has stopped: removes its condition from the Node. The advertised amounts stay.
  void disconnect();

 private:
  bool report_on_node(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name);
  bool report_usage(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name);
  bool send_pod_events(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name);
  void eviction_outcome(const kube::Evictor::Outcome& outcome);

  Agent& agent_;
  const runtime::Clock& clock_;
  const runtime::WallClock& wall_;
  runtime::Log& log_;
  reporting::ReportTarget target_;
  std::optional<kube::Evictor> evictor_{};
  std::optional<kube::PodEvents> events_{};
  reporting::Reporting reporting_;
  std::optional<kube::NodeCondition> condition_{};
  std::optional<reporting::UsageReporting> usage_{};
};

}  // namespace evenkeel::cli
