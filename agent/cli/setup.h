// Sets up what a verb needs from its flags: the agent's options, the servers, and the links to
// the cluster.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/cli/verbs.h"
#include "agent/inputs/inputs.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/kube_feed.h"
#include "agent/kube/node/node_amplification.h"
#include "agent/kube/node/node_condition.h"
#include "agent/kube/node/node_taint.h"
#include "agent/kube/pod_requests.h"
#include "agent/reporting/reporting.h"
#include "agent/reporting/topology_reporting.h"

namespace evenkeel::cli {

// Turns flags into the agent's options, for `run` and the stepped mode.

/// What servers deliver instead of files. Empty: the Node object comes from --node (if given), the NodeSLO
/// from --nodeslo.
struct ServerSources {
  std::string node_url{}, nodeslo_object{};
};
AgentOptions agent_options(const Flags& flags, const inputs::PodsSource& pods,
                           const ServerSources& delivered);

/// Prints the problem to standard error; returns 2.
int usage_error(const std::string& problem);

// Determines from flags and environment the servers that `run` and `withdraw` use.

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

/// The names by which clients may call this host: its own, and the one of --node-name.
std::vector<std::string> host_names(const std::string& node_name);

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

// The running agent's links to its cluster: eviction requests, reports of lending and usage, and events for
// pods' owners. Without an API server there are none, and the agent still works.

/// The target of --report if it is possible; none in a dry run.
reporting::ParsedReportTarget report_target(const Flags& flags, bool api_known);
/// An audit event about a pod as a Kubernetes Event for its owner. Absent: it does not concern the owner.
std::optional<kube::PodEvent> event_for_owner(const Pod& pod, const record::AuditEvent& event);
/// An audit event about the whole node as a Kubernetes Event on it.
kube::PodEvent event_for_node(const record::AuditEvent& event);
/// Why --events, --node-metric or --node-topology is not possible; empty: possible, or not requested.
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
    bool owners = false;                  ///< pod events, for the owners of pods
    bool usage = false;                   ///< the node's usage, in the NodeMetric
    bool topology = false;                ///< CPUs and NUMA nodes, in the NodeResourceTopology
    std::string host_root{};              ///< where the kernel's files about NUMA nodes are
    kube::KubeClient* kubelet = nullptr;  ///< is asked for its configuration; null: it is not
  };
  /// Before the first tick. False: the connection cannot be set up.
  bool connect(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name,
               const ReportsTo& reports);
  /// Computes what can be lent and advertises it; also updates what else the agent keeps on the Node.
  void lend();
  /// The agent has stopped: removes all that from the Node. The advertised amounts stay.
  void disconnect();

 private:
  bool report_on_node(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name);
  bool report_usage(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name,
                    const ReportsTo& reports);
  bool report_topology(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name,
                       const ReportsTo& reports);
  bool send_pod_events(runtime::EventLoop& loop, kube::KubeClient& api, const std::string& node_name);
  void publish_amplification();
  void eviction_outcome(const kube::Evictor::Outcome& outcome);

  Agent& agent_;
  const runtime::Clock& clock_;
  const runtime::WallClock& wall_;
  runtime::Log& log_;
  reporting::ReportTarget target_;
  std::optional<kube::Evictor> evictor_{};
  std::optional<kube::PodEvents> events_{};
  reporting::Reporting reporting_;
  /// With --report node-status: what the agent keeps on the Node as long as it runs.
  struct OnNode {
    kube::NodeCondition condition;
    kube::NodeTaint taint;
    kube::NodeAmplification amplification;
  };
  std::optional<OnNode> on_node_{};
  std::optional<reporting::UsageReporting> usage_{};
  std::optional<reporting::TopologyReporting> topology_{};
};

}  // namespace evenkeel::cli
