// Sends Kubernetes Events on pods, so that their owners see what the agent did (`kubectl describe pod`).
// Repeats of the same event are counted, not sent; bursts are cut; what the server rejects is dropped. Does
// not block anything and is never the only record (the audit log has every action).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/record/traffic.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

struct PodEvent {
  std::string namespace_{}, name{}, uid{};
  std::string reason{};   ///< one word, "Evicting"
  std::string message{};  ///< a sentence
  std::string about{};    ///< what else distinguishes two events, a file for example
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
