// `evenkeel withdraw`: removes the resources that evenkeel advertised from a Node, for uninstalling. Refuses
// while pods request them, since a kubelet that restarts would fail those pods, and while an agent runs here
// that would advertise them again. Does not change anything else on the Node.
#pragma once

#include <string>

#include "agent/cli/flags.h"
#include "agent/kube/client/access.h"

namespace evenkeel::cli {

struct WithdrawOptions {
  kube::KubeAccess api{};
  std::string node_name{};
  std::string state_dir{};
  bool force = false;    ///< withdraws even if pods request the resources, or the pods are not known
  bool dry_run = false;  ///< only prints what it would do
};
struct WithdrawResult {
  bool done = false;      ///< nothing is advertised (any more), or a dry run found no obstacle
  std::string message{};  ///< for the operator: what was done, or why not and what would help
};
/// Waits for the server for at most 30 s.
WithdrawResult withdraw(const WithdrawOptions& options);

}  // namespace evenkeel::cli
