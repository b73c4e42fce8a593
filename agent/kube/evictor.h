// Evicts pods through the API server's eviction subresource, one request at a time, and reports each outcome.
// PodDisruptionBudgets are honoured, and the request carries the uid so that exactly the chosen pod is
// evicted. Does not choose a victim (qos/eviction/eviction.h does) or override a refusal.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/runtime/event_loop.h"
#include "qos/eviction/eviction.h"

namespace evenkeel::kube {

class Evictor {
 public:
  struct Outcome {
    enum class Kind : std::uint8_t {
      accepted,  ///< the pod is terminating; confirmed when its cgroup is gone
      gone,      ///< the server does not know this pod, or no longer
      refused,   ///< a disruption budget forbids it, or the agent lacks the right
      unknown    ///< no answer after several attempts
    };
    Kind kind = Kind::unknown;
    std::string uid{};
    std::string why{};      ///< human-readable; empty when accepted
    Duration not_before{};  ///< do not retry for this pod until this time has passed
  };
  using OnOutcome = std::function<void(const Outcome&)>;

  /// `loop` and `api` must outlive it. `heard` is called once per request(), from the loop.
  static Result<Evictor> open(runtime::EventLoop& loop, KubeClient& api, Random random, OnOutcome heard);
  Evictor(Evictor&&) noexcept;
  Evictor& operator=(Evictor&&) noexcept;
  ~Evictor();

  /// Queued while an earlier request is in flight.
  void request(const eviction::Eviction& victim);

 private:
  struct Impl;
  explicit Evictor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
