// Keeps what is known of some objects of an API server up to date: lists them, then watches them. Resumes
// after a watch ends or breaks off, lists again when the server has forgotten that version, and backs off
// after each failure. Does not interpret the objects.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "agent/document/document.h"
#include "agent/document/list_reader.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/watch/watch_event.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

/// The URL of the objects that a selector of fields chooses: "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1".
/// `parameters` are further ones, each with an '&' behind it.
std::string selection_url(const std::string& collection, const std::string& selector,
                          const std::string& parameters = {});
/// Appended to it: a list may come from the server's cache, however old that is.
inline constexpr const char* kFromCache = "&resourceVersion=0";

class ListWatch {
 public:
  struct Options {
    std::string collection{};  ///< "/api/v1/pods"
    std::string selector{};    ///< of fields: "metadata.name=node-1"
    /// The members of an object to keep, metadata.resourceVersion among them; must outlive the watch.
    std::span<const document::KeyFilter> kept{};
    /// Further lists may come from the server's cache too, if it is not behind what was passed on. Without it
    /// the server reads its store, which is cheap for one object, but not for one node's pods among all.
    bool relist_from_cache = false;
    /// The first list, and one after the server has forgotten our version, is delayed at random by up to
    /// this, so that thousands of agents do not list at once.
    Duration spread{};
    /// The lifetime requested for a watch, give or take a fifth, in whole seconds; another watch follows.
    Duration watch_lifetime{std::chrono::minutes(2)};
    /// A watch that outlives its lifetime by this long is on a dead connection.
    Duration stale_after{std::chrono::seconds(15)};
    Duration stable_after{std::chrono::seconds(5)};   ///< a watch that lasts this long works
    Duration relist_interval{std::chrono::hours(1)};  ///< in case a server was restored from a backup
    Duration min_interval{std::chrono::seconds(1)};   ///< between two watches
    Duration longest_wait{std::chrono::seconds(30)};  ///< after failures
    Duration timeout{std::chrono::seconds(10)};       ///< for a complete list
    std::size_t longest = document::kLongestItem;     ///< bytes of an object, or of an event
  };
  struct OnAnswer {
    /// A list begins. Its objects arrive one by one, and count once it is complete.
    std::function<void()> list_begins{};
    std::function<void(const document::Value& object)> listed{};
    /// The beginning of an object that is longer than allowed, which is left out.
    std::function<void(std::string_view beginning)> too_long{};
    /// The list is complete. Not empty: why it is not usable.
    std::function<std::string()> list{};
    /// An object as it is now (`current`), or that it is gone.
    std::function<void(const WatchEvent&)> event{};
    std::function<void()> confirmed{};  ///< everything is unchanged as of now
    /// The objects cannot be read at present, for the reason given; retried. A watch that breaks off is not
    /// reported if the next one works.
    std::function<void(const std::string&)> trouble{};
  };

  /// `loop`, `api` and `clock` must outlive it. The first request starts as soon as the loop runs.
  /// `on_answer` may be called from inside a callback of `api`: it may start and cancel requests there, but
  /// not destroy this watch.
  static Result<ListWatch> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                Random random, Options options, OnAnswer on_answer);
  ListWatch(ListWatch&&) noexcept;
  ListWatch& operator=(ListWatch&&) noexcept;
  ~ListWatch();

 private:
  struct Impl;
  explicit ListWatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
