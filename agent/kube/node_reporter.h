// Puts what can be lent on the Node: `kubernetes.io/batch-cpu` and its like, capacity and allocatable alike,
// by a patch of nodes/status that touches nothing else. How it is sent is patcher.h's matter. May not: decide
// what stands there (qos/lending/advertised.h does), or take anything away when the agent stops.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/patcher.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"
#include "qos/lending/advertised.h"

namespace evenkeel::kube {

/// What a v1 Node lends: status.allocatable. Absent: no Node, or an amount in it that is none.
std::optional<lending::LentAmounts> lent_amounts_in(std::string_view node_json);

/// A merge patch that puts `amounts` on the Node and takes away those of `standing` that are absent from
/// them.
std::string lending_patch(const lending::LentAmounts& amounts, const lending::LentAmounts& standing);

class NodeReporter {
 public:
  struct Options {
    std::string node{};                              ///< the Node's name
    Duration spread{std::chrono::seconds(5)};        ///< an ordinary change waits for up to so long
    Duration min_interval{std::chrono::seconds(1)};  ///< from one patch to the next, urgent ones too
    Duration longest_wait{std::chrono::minutes(1)};  ///< after failures
  };
  struct OnObserved {
    /// What stands there now, as the server says: in answer to a patch, or to look().
    std::function<void(const lending::LentAmounts&)> stands{};
    /// It has not, for the reason given; it is asked again.
    std::function<void(const std::string&)> failed{};
  };

  /// `loop`, `api` and `clock` must outlive it.
  static Result<NodeReporter> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                   Random random, const Options& options, OnObserved heard);

  /// From now on this shall stand where `standing` does. Replaces what was not sent yet.
  void publish(const lending::LentAmounts& amounts, const lending::LentAmounts& standing, bool urgent);
  /// Asks what stands there, by a patch that changes nothing: that needs no right to read Nodes.
  void resync() { patcher_.resync(); }
  /// What was to be published is not, unless it is under way already: somebody else has taken over.
  void pause() { patcher_.pause(); }

 private:
  explicit NodeReporter(Patcher patcher) : patcher_(std::move(patcher)) {}
  Patcher patcher_;
};

}  // namespace evenkeel::kube
