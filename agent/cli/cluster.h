// The running agent's links to its cluster: who is asked to evict, where it is told what can be lent and
// used, and what pods' owners hear. Without an API server there are none, and the agent works all the same.
#pragma once

#include <optional>
#include <string>

#include "agent/cli/flags.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/evictor.h"
#include "agent/kube/node_condition.h"
#include "agent/kube/pod_events.h"
#include "agent/reporting/reporting.h"
#include "agent/reporting/usage_reporting.h"
#include "agent/tick/agent.h"

namespace evenkeel {

/// --report, as far as it can be done: a dry run tells nobody.
ParsedReportTarget report_target(const Flags& flags, bool api_known);
/// What goes on record about a pod, as an event for its owner. Absent: nothing that concerns the owner.
std::optional<PodEvent> owners_event(const Pod& pod, const AuditEvent& event);
/// Why --events or --node-metric cannot be done; empty: they can, or are not asked for.
std::string telling_problem(const Flags& flags, bool api_known);

class Cluster {
 public:
  /// All of these must outlive it.
  Cluster(ReportTarget target, Agent& agent, const Clock& clock, const WallClock& wall, Log& log)
      : agent_(agent),
        clock_(clock),
        wall_(wall),
        log_(log),
        target_(std::move(target)),
        reporting_(target_, agent, log) {}

  struct Tells {
    bool owners = false;  ///< of pods: what is done to them
    bool usage = false;   ///< the NodeMetric: what the node uses
  };
  /// Before the first tick. False: it cannot be asked.
  bool connect(EventLoop& loop, KubeClient& api, const std::string& node_name, const Tells& tells);
  /// Works out what can be lent, and tells it where it is to be told; on the Node also how the agent is.
  void lend();
  /// The agent has stopped: what the Node says of how it is goes. What it lends stays.
  void leave();

 private:
  bool report_on_node(EventLoop& loop, KubeClient& api, const std::string& node_name);
  bool report_usage(EventLoop& loop, KubeClient& api, const std::string& node_name);
  bool tell_owners(EventLoop& loop, KubeClient& api, const std::string& node_name);
  void heard(const Evictor::Outcome& outcome);

  Agent& agent_;
  const Clock& clock_;
  const WallClock& wall_;
  Log& log_;
  ReportTarget target_;
  std::optional<Evictor> evictor_{};
  std::optional<PodEvents> events_{};
  Reporting reporting_;
  std::optional<NodeCondition> condition_{};
  std::optional<UsageReporting> usage_{};
};

}  // namespace evenkeel
