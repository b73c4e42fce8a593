// Feeds the agent from servers: the pod list from the kubelet or the API server, the Node and the NodeSLO
// object from the API server. The kubelet and the Node are polled, the kubelet also when a cgroup directory
// appears that its last list does not explain; the rest is watched. Does not interpret the answers
// (agent/inputs/inputs.h does).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/kube/client/access.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/pod_feed.h"
#include "qos/model/ids.h"

namespace evenkeel::kube {

class KubeFeed {
 public:
  struct Options {
    std::optional<KubeAccess> kubelet{};  ///< absent: it is not asked for pods
    std::optional<KubeAccess> api{};
    std::string node_name{};     ///< the Node to read; empty: none
    std::string nodeslo_name{};  ///< the NodeSLO to watch; empty: none
    /// The Node whose pods the API server is asked for, with a kubelet only while that does not answer;
    /// empty: none.
    std::string pods_node{};
    Duration pods_interval{std::chrono::seconds(10)};
    Duration node_interval{std::chrono::seconds(60)};
    Duration min_interval{std::chrono::seconds(1)};  ///< between two requests to the same server
    Duration timeout{std::chrono::seconds(10)};      ///< for a complete answer
  };
  /// URLs of the kubelet's pod list, of the node's pods at the API server, and of the Node object.
  static std::string pods_url(const KubeAccess& kubelet);
  static std::string api_pods_url(const KubeAccess& api, const std::string& node_name);
  static std::string node_url(const KubeAccess& api, const std::string& node_name);
  /// The object's display name: "nodeslos/NODE".
  static std::string nodeslo_object(const std::string& name);

  using Environment = FeedEnvironment;
  static Result<std::unique_ptr<KubeFeed>> open(Environment environment, const Options& options);
  ~KubeFeed();

  /// The newest cgroup directory that no pod list explains: a new one makes the feed poll the kubelet at
  /// once.
  void unknown_cgroup_found(CgroupId youngest);
  /// Null when access is not configured.
  [[nodiscard]] KubeClient* kubelet();
  [[nodiscard]] KubeClient* api();

 private:
  struct Impl;
  explicit KubeFeed(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
