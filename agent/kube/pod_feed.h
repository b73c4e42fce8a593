// Delivers the node's pods: from the kubelet, from the API server, or, with both, from the API server as long
// as the kubelet does not answer. Does not interpret them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/inputs/inputs.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

/// What delivers to the inputs works in. All of these must outlive it. `on_change` is called after each
/// answer, from the loop.
struct FeedEnvironment {
  runtime::EventLoop& loop;
  const runtime::Clock& clock;
  Random random{};
  inputs::Inputs& inputs;
  std::function<void()> on_change{};
};

class PodFeed {
 public:
  struct Options {
    KubeClient* kubelet = nullptr;                   ///< null: it is not asked
    KubeClient* api = nullptr;                       ///< null: it is not asked for pods
    std::string node{};                              ///< whose pods the API server is asked for
    Duration interval{std::chrono::seconds(10)};     ///< between two lists of the kubelet
    Duration min_interval{std::chrono::seconds(1)};  ///< between two requests to the same server
    Duration timeout{std::chrono::seconds(10)};      ///< for a complete answer
  };
  static std::string kubelet_url(const std::string& server);

  /// The clients must outlive it.
  static Result<std::unique_ptr<PodFeed>> open(const FeedEnvironment& environment, const Options& options);
  ~PodFeed();

  /// A pod has appeared that the kubelet's last list does not explain. A watch needs no such hint.
  void poll_soon(Duration how_long);

 private:
  struct Impl;
  explicit PodFeed(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
