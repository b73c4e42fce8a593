// Publishes the Node condition EvenkeelDegraded: present with its reason while the agent is degraded, absent
// otherwise, so that a healthy node costs the API server nothing. Does not assess the agent's health.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/record/degraded.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

/// A strategic merge patch of nodes/status: only this condition is touched. Absent: the condition is removed.
std::string condition_patch(const std::optional<record::Degraded>& degraded, std::int64_t since_unix_seconds,
                            std::int64_t now_unix_seconds);

class NodeCondition {
 public:
  struct Options {
    std::string node{};
    Duration lasting{std::chrono::seconds(30)};  ///< shorter problems are not published
    Duration spread{std::chrono::seconds(5)};    ///< see Patcher
  };
  /// All of these must outlive it. `failed` receives the reason why publishing failed, once per change.
  static Result<NodeCondition> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                    const runtime::WallClock& wall, Random random, Options options,
                                    std::function<void(const std::string&)> failed);
  NodeCondition(NodeCondition&&) noexcept;
  NodeCondition& operator=(NodeCondition&&) noexcept;
  ~NodeCondition();

  /// The agent's current state; call it every few seconds. The first healthy call removes a condition that an
  /// earlier run may have left.
  void publish(const std::optional<record::Degraded>& now);
  /// On shutdown: removes the condition if the server accepts that within `patience`. Runs the loop.
  void clear(Duration patience);

 private:
  struct Impl;
  explicit NodeCondition(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
