// The Node's condition EvenkeelDegraded: there while the agent cannot do its work, with the reason, and gone
// otherwise, so that a sound node costs the API server nothing. May not: judge how the agent is.
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

/// A strategic merge patch of nodes/status: only this condition is touched. Absent: it is taken off.
std::string condition_patch(const std::optional<record::Degraded>& degraded, std::int64_t since_unix_seconds,
                            std::int64_t now_unix_seconds);

class NodeCondition {
 public:
  struct Options {
    std::string node{};
    Duration lasting{std::chrono::seconds(30)};  ///< shorter troubles are not told
    Duration spread{std::chrono::seconds(5)};    ///< see Patcher
  };
  /// All of these must outlive it. `failed` hears why it does not stand there, when that is news.
  static Result<NodeCondition> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                    const runtime::WallClock& wall, Random random, Options options,
                                    std::function<void(const std::string&)> failed);
  NodeCondition(NodeCondition&&) noexcept;
  NodeCondition& operator=(NodeCondition&&) noexcept;
  ~NodeCondition();

  /// How the agent is now; to be said every few seconds. The first time that it is well takes off what an
  /// earlier run may have left.
  void publish(const std::optional<record::Degraded>& now);
  /// The agent stops: what stands there goes, if the server takes it within `patience`. Runs the loop.
  void clear(Duration patience);

 private:
  struct Impl;
  explicit NodeCondition(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
