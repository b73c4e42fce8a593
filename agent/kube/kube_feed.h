// Feeds the agent from servers: the pod list from the kubelet, the Node and the NodeSLO object from the API
// server. The first two are polled, the kubelet also when a cgroup directory appears that its last list does
// not explain; the NodeSLO is watched. Does not interpret the answers (agent/inputs/inputs.h does).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/inputs/inputs.h"
#include "agent/kube/client/access.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"
#include "qos/model/ids.h"

namespace evenkeel::kube {

class KubeFeed {
 public:
  struct Options {
    std::optional<KubeAccess> kubelet{};  ///< absent: pods come from another source
    std::optional<KubeAccess> api{};
    std::string node_name{};     ///< the Node to read; empty: none
    std::string nodeslo_name{};  ///< the NodeSLO to watch; empty: none
    Duration pods_interval{std::chrono::seconds(10)};
    Duration node_interval{std::chrono::seconds(60)};
    Duration min_interval{std::chrono::seconds(1)};  ///< between two requests to the same server
    Duration timeout{std::chrono::seconds(10)};      ///< for a complete answer
  };
  /// URLs of the kubelet's pod list and of the Node object.
  static std::string pods_url(const KubeAccess& kubelet);
  static std::string node_url(const KubeAccess& api, const std::string& node_name);
  /// The object's display name: "nodeslos/NODE".
  static std::string nodeslo_object(const std::string& name);

  /// All of these must outlive it. `on_change` is called after each answer, from the loop.
  struct Environment {
    runtime::EventLoop& loop;
    const runtime::Clock& clock;
    Random random{};
    inputs::Inputs& inputs;
    std::function<void()> on_change{};
  };
  static Result<std::unique_ptr<KubeFeed>> open(Environment house, const Options& options);
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
