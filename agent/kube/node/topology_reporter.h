// Keeps the node's NodeResourceTopology (topology.node.k8s.io/v1alpha1): creates the object where there is
// none, and patches it when its content is to change. Does not know the content.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/record/health.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

// Needs the rights to create and patch it, and to get the Node, whose uid the object names as its owner. It
// is read by a patch that changes nothing.

/// What to send, or why the content is not known.
using TopologyBody = tl::expected<std::string, std::string>;

class TopologyReporter {
 public:
  struct Options {
    std::string node{};  ///< the Node's name
    /// The first request comes within this time, so that agents that were started together do not ask at
    /// once. That some content is not known yet is no failure until then.
    Duration start{std::chrono::seconds(5)};
    Duration interval{std::chrono::seconds(10)};      ///< between two comparisons, and so between two patches
    Duration look_interval{std::chrono::minutes(5)};  ///< between two reads, for what others have changed
    double jitter = 0.2;                              ///< share of an interval
    Duration min_interval{std::chrono::seconds(1)};   ///< between two requests
    Duration longest_wait{std::chrono::minutes(5)};   ///< after failures
  };
  struct Environment {
    /// The object to create, for the Node with this uid.
    std::function<TopologyBody(const std::string& node_uid)> object{};
    /// The patch of the object as the server holds it; empty: there is nothing to change.
    std::function<TopologyBody(const std::string& standing)> patch{};
    /// The outcome, when its last_error changes, and the first one.
    std::function<void(const record::ReportState&)> on_change{};
  };

  /// `loop`, `api` and `clock` must outlive it.
  static Result<TopologyReporter> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                       Random random, Options options, Environment environment);
  TopologyReporter(TopologyReporter&&) noexcept;
  TopologyReporter& operator=(TopologyReporter&&) noexcept;
  ~TopologyReporter();

  /// Accepted: the answers after which the server held the wanted content.
  [[nodiscard]] const record::ReportState& state() const;

 private:
  struct Impl;
  explicit TopologyReporter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
