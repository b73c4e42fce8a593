// Whether the agent can do its work, and if not, why, in one word for machines and one sentence for people.
// May not: tell anybody (agent/api shows it, agent/kube puts it on the Node).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/inputs/inputs.h"
#include "cgroup/executor/executor.h"

namespace evenkeel::record {

struct Degraded {
  std::string reason{};   ///< "NodeSloRefused"
  std::string message{};  ///< without figures that change, so that the same trouble has the same text
  bool operator==(const Degraded&) const = default;
};

struct HealthInputs {
  std::vector<inputs::InputState> inputs{};
  bool pods_known = true;
  bool pods_stale = false;
  const executor::ExecutorCounters& writes;
};
/// The gravest trouble. Absent: all is well, or only single pods are concerned.
std::optional<Degraded> degraded(const HealthInputs& being);

}  // namespace evenkeel::record
