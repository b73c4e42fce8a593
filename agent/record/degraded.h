// Says whether the agent can do its work, and if not, why: one word for machines and one sentence for
// operators. Does not publish it (agent/api shows it, agent/kube sets the Node condition).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/inputs/inputs.h"
#include "cgroup/executor/executor.h"

namespace evenkeel::record {

struct Degraded {
  std::string reason{};   ///< "NodeSloRefused"
  std::string message{};  ///< without changing figures: the same problem always has the same text
  bool operator==(const Degraded&) const = default;
};

struct HealthInputs {
  std::vector<inputs::InputState> inputs{};
  bool pods_known = true;
  bool pods_stale = false;
  const executor::ExecutorCounters& writes;
};
/// The most serious problem. Absent: there is none, or it concerns single pods only.
std::optional<Degraded> degraded(const HealthInputs& being);

}  // namespace evenkeel::record
