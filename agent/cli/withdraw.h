// `evenkeel withdraw`: takes what evenkeel has advertised off a Node, for uninstalling. Refuses while pods
// hold of it, since a kubelet that restarts would fail them, and while an agent runs here that would
// advertise it again. May not: touch anything else of the Node.
#pragma once

#include <string>

#include "agent/cli/flags.h"
#include "agent/kube/client/access.h"

namespace evenkeel::cli {

struct WithdrawOptions {
  kube::KubeAccess api{};
  std::string node_name{};
  std::string state_dir{};
  bool force = false;    ///< pods that hold of it, or that cannot be known, are no reason to refuse
  bool dry_run = false;  ///< only says what it would do
};
struct WithdrawResult {
  bool done = false;      ///< nothing is advertised (any more), or a dry run has nothing against it
  std::string message{};  ///< for people: what was done, or why not and what would help
};
/// Waits for the server, half a minute at most.
WithdrawResult withdraw(const WithdrawOptions& options);

}  // namespace evenkeel::cli
