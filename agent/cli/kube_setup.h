// From flags and environment to the servers that `run` talks to.
#pragma once

#include <string>

#include "agent/cli/flags.h"
#include "agent/core/inputs.h"
#include "agent/kube/kube_feed.h"

namespace evenkeel {

struct KubeSetup {
  KubeFeed::Options feed{};
  PodsSource pods{};  ///< --pods, with `auto` decided where nothing can be asked
  std::string node_name{};
  std::string why_not{};  ///< --pods auto: why the kubelet is not asked
  std::string error{};    ///< bad usage
};
/// `service_account` is the directory with a pod's token and ca.crt.
KubeSetup kube_setup(const Flags& flags, const Environment& environment, const std::string& service_account);

}  // namespace evenkeel
