// Publishes the Node conditions EvenkeelDegraded and EvenkeelContended: present with their reason as long as
// the agent or the node has that problem, absent otherwise, so that a healthy node costs the API server
// nothing. Does not assess either.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/record/health.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

/// What the conditions say; absent: the Node does not have that condition.
struct NodeProblems {
  std::optional<record::NodeProblem> degraded{}, contended{};
  bool operator==(const NodeProblems&) const = default;
};
/// Unix seconds of each problem's beginning; without meaning where there is none.
struct ProblemsSince {
  std::int64_t degraded = 0, contended = 0;
};

/// A strategic merge patch of nodes/status: only these conditions are touched. An absent one is removed.
std::string condition_patch(const NodeProblems& problems, const ProblemsSince& since,
                            std::int64_t now_unix_seconds);

class NodeCondition {
 public:
  struct Options {
    std::string node{};
    Duration lasting{std::chrono::seconds(30)};  ///< the agent's shorter problems are not published
    Duration spread{std::chrono::seconds(5)};    ///< see Patcher
  };
  /// All of these must outlive it. `failed` receives the reason why publishing failed, once per change.
  static Result<NodeCondition> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                    const runtime::WallClock& wall, Random random, Options options,
                                    std::function<void(const std::string&)> failed);
  NodeCondition(NodeCondition&&) noexcept;
  NodeCondition& operator=(NodeCondition&&) noexcept;
  ~NodeCondition();

  /// The current state; call it every few seconds. The first call without problems removes conditions that an
  /// earlier run may have left.
  void publish(const NodeProblems& now);
  /// On shutdown: removes the conditions if the server accepts that within `patience`. Runs the loop.
  void clear(Duration patience);

 private:
  struct Impl;
  explicit NodeCondition(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
