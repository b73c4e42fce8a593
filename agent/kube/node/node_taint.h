// Keeps the taint evenkeel.io/contended:PreferNoSchedule on the Node, or takes it off. The API server
// replaces the list of taints as a whole, so the Node is read first (by a patch that changes nothing), and
// the patch holds only for the version that was read: the taints of others stay. Needs the right to patch
// nodes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

/// What a v1 Node says of its taints.
struct NodeTaints {
  std::string resource_version{};
  bool ours = false;     ///< the agent's taint is there
  std::string others{};  ///< the other taints, as the items of a JSON list
};
/// Absent: not a Node, or a taint of a form that cannot be written back.
std::optional<NodeTaints> taints_in(std::string_view node_json);
/// A merge patch of a Node of this version: the other taints, and the agent's if it is wanted.
std::string taint_patch(const NodeTaints& seen, bool wanted);

class NodeTaint {
 public:
  struct Options {
    std::string node{};  ///< the Node's name
    /// See Patcher.
    Duration spread{std::chrono::seconds(5)}, min_interval{std::chrono::seconds(1)};
    Duration longest_wait{std::chrono::minutes(1)};
  };
  /// All of these must outlive it. `failed` receives the reason why it failed, once per change.
  static Result<NodeTaint> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                Random random, const Options& options,
                                std::function<void(const std::string&)> failed);
  NodeTaint(NodeTaint&&) noexcept;
  NodeTaint& operator=(NodeTaint&&) noexcept;
  ~NodeTaint();

  /// The current state; call it every few seconds. Absent: the taint is not configured; one that this run has
  /// put there is taken off. The first call with a state takes off what an earlier run may have left.
  void publish(std::optional<bool> tainted);
  /// On shutdown: takes the taint off if the server accepts that within `patience`. Runs the loop.
  void clear(Duration patience);

 private:
  struct Impl;
  explicit NodeTaint(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
