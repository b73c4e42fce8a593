// Kubernetes Events on pods: what was done to a pod, where its owner looks (`kubectl describe pod`). The same
// about the same pod is not repeated but counted, a burst is cut, and what the server does not take is
// dropped: an event is a courtesy. May not: hold anything up, or be the only place where something is told
// (the audit log is).
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
  std::string about{};    ///< what else tells two events apart, a file for example
};

class PodEvents {
 public:
  struct Options {
    std::string node{};
    Duration repeat_interval{std::chrono::minutes(10)};  ///< before the same is told again
    int burst = 10;                                      ///< told at once
    Duration refill{std::chrono::seconds(6)};            ///< one more after so long
  };
  /// All of these must outlive it. `failed` hears why the server did not take one, when that is news.
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
