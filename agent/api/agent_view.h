// Read-only access to the agent's parts for the pages, the metrics and the stepped mode. Does not change
// anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/brakes/brakes.h"
#include "agent/evictions/evictions.h"
#include "agent/inputs/inputs.h"
#include "agent/lender/lending.h"
#include "agent/record/degraded.h"
#include "agent/record/recorder.h"
#include "agent/record/traffic.h"
#include "agent/tick/tick.h"
#include "agent/writers/kernel_access.h"
#include "cgroup/features/features.h"
#include "cgroup/reclaim/reclaimer.h"
#include "qos/registry.h"

namespace evenkeel::api {

struct AgentView {
  const tick::Tick& tick;
  const tick::Observer& observer;
  const inputs::Inputs& inputs;
  const decide::PolicyState& policies;
  const tick::Execution& execution;
  const reclaim::Reclaimer& reclaimer;
  const brakes::Brakes& brakes;
  const evictions::Evictions& evictions;
  const lender::Lending& lending;
  const record::Recorder& recorder;
  const record::ServerActivity& servers;
  const writers::KernelAccess& kernel;

  [[nodiscard]] const NodeSnapshot& node() const { return observer.node(); }
  [[nodiscard]] const tree::CgroupTree& tree() const { return observer.tree(); }
  [[nodiscard]] const record::PodNames& names() const { return observer.names(); }
  /// Why the agent cannot do its work; absent: it can.
  [[nodiscard]] std::optional<record::Degraded> degraded() const;
  [[nodiscard]] std::vector<features::Capability> capabilities() const {
    return features::probe(kernel.host, tree());
  }
};

}  // namespace evenkeel::api
