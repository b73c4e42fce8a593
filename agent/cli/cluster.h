// The running agent's links to its cluster: who is asked to evict, where it is told what can be lent and
// used, and what pods' owners hear. Without an API server there are none, and the agent works all the same.
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

/// --report, as far as it can be done: a dry run tells nobody.
reporting::ParsedReportTarget report_target(const Flags& flags, bool api_known);
/// What goes on record about a pod, as an event for its owner. Absent: nothing that concerns the owner.
std::optional<kube::PodEvent> event_for_owner(const Pod& pod, const record::AuditEvent& event);
/// Why --events or --node-metric cannot be done; empty: they can, or are not asked for.
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
    bool owners = false;  ///< of pods: what is done to them
    bool usage = false;   ///< the NodeMetric: what the node uses
  };
  /// Before the first tick. False: it cannot be asked.
  bool connect(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name,
               const ReportsTo& tells);
  /// Works out what can be lent, and tells it where it is to be told; on the Node also how the agent is.
  void lend();
  /// The agent has stopped: what the Node says of how it is goes. What it lends stays.
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
