// Advertises lendable resources on the Node: `kubernetes.io/batch-cpu` and the others, in both capacity and
// allocatable, by a patch of nodes/status that touches nothing else (sent by patcher.h). Does not decide the
// amounts (qos/lending/advertised.h does) or remove them when the agent stops.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/node/patcher.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"
#include "qos/lending/advertised.h"

namespace evenkeel::kube {

/// The lent amounts in a v1 Node's status.allocatable. Absent: not a Node, or an amount that cannot be
/// parsed.
std::optional<lending::LentAmounts> lent_amounts_in(std::string_view node_json);

/// A merge patch that sets `amounts` on the Node and removes those of `standing` that `amounts` lacks.
std::string lending_patch(const lending::LentAmounts& amounts, const lending::LentAmounts& standing);

class ExtendedResources {
 public:
  struct Options {
    std::string node{};                              ///< the Node's name
    Duration spread{std::chrono::seconds(5)};        ///< non-urgent changes wait up to this long
    Duration min_interval{std::chrono::seconds(1)};  ///< between two patches, urgent ones too
    Duration longest_wait{std::chrono::minutes(1)};  ///< after failures
  };
  struct OnObserved {
    /// The amounts on the Node as the server returned them, in answer to a patch or to resync().
    std::function<void(const lending::LentAmounts&)> stands{};
    /// The patch failed for the reason given; it is retried.
    std::function<void(const std::string&)> failed{};
  };

  /// `loop`, `api` and `clock` must outlive it.
  static Result<ExtendedResources> open(runtime::EventLoop& loop, KubeClient& api,
                                        const runtime::Clock& clock, Random random, const Options& options,
                                        OnObserved on_observed);

  /// Replaces `standing` by `amounts` on the Node. Supersedes a patch that was not sent yet.
  void publish(const lending::LentAmounts& amounts, const lending::LentAmounts& standing, bool urgent);
  /// Reads the amounts by a patch that changes nothing: needs no right to read Nodes.
  void resync() { patcher_.resync(); }
  /// Drops a patch that is not in flight yet: another agent has taken over.
  void pause() { patcher_.pause(); }

 private:
  explicit ExtendedResources(Patcher patcher) : patcher_(std::move(patcher)) {}
  Patcher patcher_;
};

}  // namespace evenkeel::kube
