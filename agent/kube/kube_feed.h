// Feeds the agent from servers: the pod list from the kubelet, the Node and the NodeSLO object from the API
// server. The first two are asked for at an interval, the kubelet also when a directory appears that its last
// list does not explain; the NodeSLO is watched. May not: decide what an answer means for anybody
// (agent/inputs/inputs.h takes it).
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
    std::optional<KubeAccess> kubelet{};  ///< absent: pods are known from elsewhere
    std::optional<KubeAccess> api{};
    std::string node_name{};     ///< whose object is asked for; empty: none
    std::string nodeslo_name{};  ///< the NodeSLO that is watched; empty: none
    Duration pods_interval{std::chrono::seconds(10)};
    Duration node_interval{std::chrono::seconds(60)};
    Duration min_interval{std::chrono::seconds(1)};  ///< between two questions to the same server
    Duration timeout{std::chrono::seconds(10)};      ///< for a whole answer
  };
  /// Where the pods and the Node object are asked for.
  static std::string pods_url(const KubeAccess& kubelet);
  static std::string node_url(const KubeAccess& api, const std::string& node_name);
  /// What people call the object: "nodeslos/NODE".
  static std::string nodeslo_object(const std::string& name);

  /// All of these must outlive it. `news` is called after each answer, from the loop.
  struct Environment {
    runtime::EventLoop& loop;
    const runtime::Clock& clock;
    Random random{};
    inputs::Inputs& inputs;
    std::function<void()> news{};
  };
  static Result<std::unique_ptr<KubeFeed>> open(Environment house, const Options& options);
  ~KubeFeed();

  /// The youngest directory that no list explains: when it is a new one, the kubelet is asked at once.
  void unknown_cgroup_found(CgroupId youngest);
  /// Null: there is no access to it.
  [[nodiscard]] KubeClient* kubelet();
  [[nodiscard]] KubeClient* api();

 private:
  struct Impl;
  explicit KubeFeed(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
