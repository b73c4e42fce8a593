// Determines from flags and environment the servers that `run` and `withdraw` use.
#pragma once

#include <string>

#include "agent/cli/flags.h"
#include "agent/inputs/inputs.h"
#include "agent/kube/kube_feed.h"

namespace evenkeel::cli {

/// The process's environment; and the directory with a pod's token and ca.crt, the `service_account` below.
std::string process_environment(const char* name);
inline constexpr const char* kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/// --kubeconfig or the pod's service account, --apiserver and --node-name.
struct ApiSetup {
  std::optional<kube::KubeAccess> access{};  ///< absent without an error: no API server is configured
  std::string node_name{};
  std::string error{};  ///< bad usage
};
inline constexpr const char* kNoApiServer =
    "no API server is known; legal: with --kubeconfig FILE, or in a pod";
ApiSetup api_setup(const Flags& flags, const kube::Environment& environment,
                   const std::string& service_account);

struct KubeSetup {
  kube::KubeFeed::Options feed{};
  inputs::PodsSource pods{};  ///< --pods, with `auto` resolved if no server can be asked
  std::string node_name{};
  std::string nodeslo_object{};  ///< "nodeslos/NODE"; empty: the configuration is a file
  std::string missing_reason{};  ///< --pods auto: why the kubelet is not used
  std::string error{};           ///< bad usage
};
KubeSetup kube_setup(const Flags& flags, const kube::Environment& environment,
                     const std::string& service_account);

}  // namespace evenkeel::cli
