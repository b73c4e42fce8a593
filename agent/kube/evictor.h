// Asks the API server to let pods go, one question at a time, and says what became of it: by the eviction
// subresource, so that disruption budgets are kept, and with the uid, so that exactly the pod that was judged
// goes. May not: choose a victim (qos/eviction/eviction.h does), or insist where it was refused.
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
      accepted,  ///< it is on its way; believed when its cgroup is gone
      gone,      ///< the server does not know this pod (any more)
      refused,   ///< it may not go, or we may not ask
      unknown    ///< asked several times, no answer
    };
    Kind kind = Kind::unknown;
    std::string uid{};
    std::string why{};      ///< for people; empty when accepted
    Duration not_before{};  ///< do not ask again for this pod before that time has passed
  };
  using OnOutcome = std::function<void(const Outcome&)>;

  /// `loop` and `api` must outlive it. `heard` is called once for every ask(), from the loop.
  static Result<Evictor> open(runtime::EventLoop& loop, KubeClient& api, Random random, OnOutcome heard);
  Evictor(Evictor&&) noexcept;
  Evictor& operator=(Evictor&&) noexcept;
  ~Evictor();

  /// While an earlier one is being asked for this one waits.
  void request(const eviction::Eviction& victim);

 private:
  struct Impl;
  explicit Evictor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
