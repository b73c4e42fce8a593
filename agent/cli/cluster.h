// The running agent's links to its cluster: who is asked to evict, and where it is told what can be lent.
// Without an API server there are none, and the agent works all the same.
#pragma once

#include <optional>
#include <string>

#include "agent/cli/flags.h"
#include "agent/core/agent.h"
#include "agent/kube/evictor.h"
#include "agent/kube/kube_client.h"
#include "agent/lending/reporting.h"

namespace evenkeel {

/// --report, as far as it can be done: a dry run tells nobody.
ParsedReportTarget report_target(const Flags& flags, bool api_known);

class Cluster {
 public:
  /// All of these must outlive it.
  Cluster(ReportTarget target, Agent& agent, const Clock& clock, Log& log)
      : agent_(agent),
        clock_(clock),
        log_(log),
        target_(std::move(target)),
        reporting_(target_, agent, log) {}

  /// False: it cannot be asked.
  bool connect(EventLoop& loop, KubeClient& api, const std::string& node_name);
  /// Works out what can be lent, and tells it where it is to be told.
  void lend();

 private:
  void heard(const Evictor::Outcome& outcome);

  Agent& agent_;
  const Clock& clock_;
  Log& log_;
  ReportTarget target_;
  std::optional<Evictor> evictor_{};
  Reporting reporting_;
};

}  // namespace evenkeel
