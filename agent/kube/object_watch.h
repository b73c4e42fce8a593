// One object of an API server, listed by name and then watched.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/document/document.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

// Parses what an API server says about one object: the list that may hold it, and the lines of a watch. Pure.
// Does not interpret the object.

/// Of an object only its identity (metadata.name, metadata.resourceVersion) and its spec are kept.
struct ListedObject {
  std::optional<document::Value> object{};  ///< absent: the list does not hold it
  std::string object_version{};
  std::string version{};  ///< of the list: where a watch starts
  std::string problem{};  ///< not empty: why this is not a list
};
ListedObject parse_object_list(std::string_view body, const std::string& name);

struct WatchEvent {
  enum class Kind : std::uint8_t {
    current,   ///< `object` is its present state: ADDED or MODIFIED
    gone,      ///< DELETED
    bookmark,  ///< unchanged up to `version`
    error,     ///< the watch ends, for the reason given
    malformed  ///< not a watch event
  };
  Kind kind = Kind::malformed;
  document::Value object{};
  std::string name{};     ///< the object's
  std::string version{};  ///< where a watch resumes; empty only for an error
  int code = 0;           ///< of an error, as an HTTP status
  std::string message{};  ///< of an error, human-readable
};
WatchEvent parse_watch_event(std::string_view line);

// Keeps one object of an API server up to date: lists it by name, then watches it. Resumes after a watch ends
// or breaks off, lists again when the server has forgotten that version, and backs off after each failure.
// Does not interpret the object.

class ObjectWatch {
 public:
  struct Options {
    std::string collection{};  ///< "/apis/slo.koordinator.sh/v1alpha1/nodeslos"
    std::string name{};        ///< the object's name; a legal part of a URL
    /// The lifetime requested for a watch, give or take a fifth, in whole seconds; another watch follows.
    Duration watch_lifetime{std::chrono::minutes(2)};
    /// A watch that outlives its lifetime by this long is on a dead connection.
    Duration stale_after{std::chrono::seconds(15)};
    Duration stable_after{std::chrono::seconds(5)};   ///< a watch that lasts this long works
    Duration relist_interval{std::chrono::hours(1)};  ///< in case a server was restored from a backup
    Duration min_interval{std::chrono::seconds(1)};   ///< between two watches
    Duration longest_wait{std::chrono::seconds(30)};  ///< after failures
    Duration timeout{std::chrono::seconds(10)};       ///< for a complete list
    std::size_t longest = std::size_t{4}
                          << 20;  ///< bytes of a list or an event; an object is limited to 1.5 MiB
  };
  struct OnChange {
    /// The object, without its status and with only name and version of its metadata.
    std::function<void(const document::Value&)> object{};
    std::function<void()> absent{};     ///< no object of that name exists, or no longer
    std::function<void()> confirmed{};  ///< the object is unchanged as of now
    /// The object cannot be read at present, for the reason given; retried. A watch that breaks off is not
    /// reported if the next one works.
    std::function<void(const std::string&)> trouble{};
  };

  /// `loop`, `api` and `clock` must outlive it. The first request starts as soon as the loop runs.
  /// `on_change` may be called from inside a callback of `api`: it may start and cancel requests there, but
  /// not destroy this watch.
  static Result<ObjectWatch> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                  Random random, Options options, OnChange on_change);
  ObjectWatch(ObjectWatch&&) noexcept;
  ObjectWatch& operator=(ObjectWatch&&) noexcept;
  ~ObjectWatch();

 private:
  struct Impl;
  explicit ObjectWatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
