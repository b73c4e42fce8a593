// Requests to the API server about pods: evictions and events.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/record/health.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"
#include "qos/eviction/eviction.h"

namespace evenkeel::kube {

// Evicts pods through the API server's eviction subresource, one request at a time, and reports each outcome.
// PodDisruptionBudgets are honoured, and the request carries the uid so that exactly the chosen pod is
// evicted. Does not choose a victim (qos/eviction/eviction.h does) or override a refusal.

class Evictor {
 public:
  struct Outcome {
    enum class Kind : std::uint8_t {
      accepted,  ///< the pod is terminating; confirmed when its cgroup is gone
      gone,      ///< the server does not know this pod, or no longer
      refused,  ///< a disruption budget forbids it, the agent lacks the right, or the server stays overloaded
      unknown   ///< no usable answer after several attempts: no connection, 401, 5xx
    };
    Kind kind = Kind::unknown;
    std::string uid{};
    std::string why{};      ///< human-readable; empty when accepted
    Duration not_before{};  ///< do not retry for this pod until this time has passed
  };
  using OnOutcome = std::function<void(const Outcome&)>;

  /// `loop` and `api` must outlive it. `on_outcome` is called once per request(), from the loop.
  static Result<Evictor> open(runtime::EventLoop& loop, KubeClient& api, Random random, OnOutcome on_outcome);
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

// Sends Kubernetes Events on pods, so that their owners see what the agent did (`kubectl describe pod`), and
// on the node for what concerns all of it.
// Repeats of the same event are counted, not sent; bursts are cut; what the server rejects is dropped. Does
// not block anything and is never the only record (the audit log has every action).

struct PodEvent {
  std::string namespace_{}, name{}, uid{};  ///< of the pod; all empty: an event on the node
  std::string reason{};                     ///< one word, "Evicting"
  std::string message{};                    ///< a sentence
  std::string about{};                      ///< what else distinguishes two events, a file for example
};

class PodEvents {
 public:
  struct Options {
    std::string node{};
    Duration repeat_interval{std::chrono::minutes(10)};  ///< before the same event is sent again
    int burst = 10;                                      ///< events sent at once
    Duration refill{std::chrono::seconds(6)};            ///< time to regain one event of the burst
  };
  /// All of these must outlive it. `failed` receives the reason why the server rejected one, once per change.
  static Result<PodEvents> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                const runtime::WallClock& wall, Random random, Options options,
                                std::function<void(const std::string&)> failed);
  PodEvents(PodEvents&&) noexcept;
  PodEvents& operator=(PodEvents&&) noexcept;
  ~PodEvents();

  void send(const PodEvent& event);
  [[nodiscard]] const record::PodEventCounters& counters() const;

 private:
  struct Impl;
  explicit PodEvents(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
