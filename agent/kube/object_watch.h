// One object of an API server, known as it stands: listed by its name, then watched. Goes on where it was
// after a watch has ended or broken off, lists again where the server has forgotten that, waits longer after
// each failure. May not: know what the object means.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/document/document.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

class ObjectWatch {
 public:
  struct Options {
    std::string collection{};  ///< "/apis/slo.koordinator.sh/v1alpha1/nodeslos"
    std::string name{};        ///< the object's; a legal part of a URL
    /// The server is asked to end a watch after so long, give or take a fifth; another one follows. In whole
    /// seconds.
    Duration watch_lifetime{std::chrono::minutes(2)};
    /// A watch that lasts for so much longer is on a connection whose other end is gone.
    Duration stale_after{std::chrono::seconds(15)};
    Duration stable_after{std::chrono::seconds(5)};   ///< a watch that stands for so long works
    Duration relist_interval{std::chrono::hours(1)};  ///< in case a server has gone back in time
    Duration min_interval{std::chrono::seconds(1)};   ///< from one watch to the next
    Duration longest_wait{std::chrono::seconds(30)};  ///< after failures
    Duration timeout{std::chrono::seconds(10)};       ///< for a whole list
    std::size_t longest = std::size_t{4} << 20;       ///< bytes of a list or an event; an object has 1.5 MiB
  };
  struct OnChange {
    /// As text it was an object; its metadata but for name and version are left out, and so is its status.
    std::function<void(const document::Value&)> object{};
    std::function<void()> absent{};     ///< there is none of that name, or no longer
    std::function<void()> confirmed{};  ///< nothing has changed up to now
    /// It cannot be known at present, for the reason given; it is asked again. A watch that breaks off is no
    /// trouble if the next one works.
    std::function<void(const std::string&)> trouble{};
  };

  /// `loop`, `api` and `clock` must outlive it. Asks for the first time as soon as the loop runs. What is
  /// heard may come from inside a callback of `api`: it may start and cancel requests there, but not end this
  /// watch.
  static Result<ObjectWatch> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                  Random random, Options options, OnChange heard);
  ObjectWatch(ObjectWatch&&) noexcept;
  ObjectWatch& operator=(ObjectWatch&&) noexcept;
  ~ObjectWatch();

 private:
  struct Impl;
  explicit ObjectWatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
