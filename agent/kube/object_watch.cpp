#include "agent/kube/object_watch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/kube/client/answer.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"

namespace evenkeel::kube {
namespace {

constexpr double kJitter = 0.2;  ///< spreads thousands of agents on one API server

/// The server cannot resume at our version: bad version, gone, or not there yet.
bool lost_our_place(int status) { return status == 400 || status == 410 || status == 504; }

}  // namespace

struct ObjectWatch::Impl {
  KubeClient& api;
  const runtime::Clock& clock;
  Random random;
  Options options;
  OnChange on_change;
  Backoff backoff;
  std::optional<runtime::Timer> next{};    ///< fires when the next request is due
  std::optional<runtime::Timer> steady{};  ///< fires when a watch has lasted a while
  std::optional<KubeClient::Id> under_way{};
  std::string version{};                          ///< where a watch resumes; empty: list first
  std::optional<std::string> reported_version{};  ///< version last passed on; empty: no such object
  MonoTime listed{};
  /// The current watch.
  struct Watching {
    MonoTime since{};
    bool worked = false;  ///< an event has come
  } watching{};

  Impl(KubeClient& server, const runtime::Clock& time, Random numbers, Options how, OnChange to)
      : api(server),
        clock(time),
        random(std::move(numbers)),
        options(std::move(how)),
        on_change(std::move(to)),
        backoff({.first = options.min_interval, .longest = options.longest_wait, .jitter = kJitter}, random) {
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { stop(); }

  void stop() {
    if (under_way) api.cancel(*std::exchange(under_way, std::nullopt));
    if (steady) steady->disarm();
  }
  [[nodiscard]] std::string url(const char* question) const {
    return options.collection + "?" + question + "fieldSelector=metadata.name%3D" + options.name;
  }
  void ask() {
    if (version.empty()) {
      list();
    } else {
      watch();
    }
  }

  // --- listing

  void list() {
    // The first list may come from the server's cache, which spares its store; later ones must not be older
    // than what was passed on.
    http::HttpCall call{.url = url("") + (reported_version ? "" : "&resourceVersion=0"),
                        .headers = {"Accept: application/json"},
                        .total_timeout = options.timeout,
                        .longest_body = options.longest};
    under_way = api.start(std::move(call), [this](const http::HttpReply& reply) { take_list(reply); });
  }
  void take_list(const http::HttpReply& reply) {
    under_way.reset();
    if (const auto why = trouble(reply); !why.empty()) return failed(why, reply.retry_after);
    const auto answer = parse_object_list(reply.body, options.name);
    if (!answer.problem.empty()) return failed(answer.problem, reply.retry_after);
    version = answer.version;
    listed = clock.now();
    report(answer.object ? &*answer.object : nullptr, answer.object_version);
    next->arm(Duration::zero());
  }
  /// `object` null: no such object.
  void report(const document::Value* object, const std::string& object_version) {
    const bool same = reported_version && *reported_version == object_version;
    reported_version = object_version;
    if (same) {
      on_change.confirmed();
    } else if (object != nullptr) {
      on_change.object(*object);
    } else {
      on_change.absent();
    }
  }

  // --- watching

  void watch() {
    const auto lasts =
        std::chrono::ceil<std::chrono::seconds>(jittered(options.watch_lifetime, kJitter, random));
    watching = {.since = clock.now()};
    http::HttpCall call{.url = url("watch=true&allowWatchBookmarks=true&") + "&resourceVersion=" + version +
                               "&timeoutSeconds=" + std::to_string(lasts.count()),
                        .headers = {"Accept: application/json"},
                        .total_timeout = lasts + options.stale_after,
                        .longest_body = options.longest,
                        .line = [this](std::string_view line) { take_line(line); },
                        .begun = [this] { steady->arm(options.stable_after); }};
    under_way = api.start(std::move(call), [this](const http::HttpReply& reply) { ended(reply); });
  }
  void works() {
    watching.worked = true;
    backoff.reset();
  }
  void take_line(std::string_view line) {
    const auto event = parse_watch_event(line);
    using Kind = WatchEvent::Kind;
    if (event.kind == Kind::malformed) return lose_place({});
    if (event.kind == Kind::error) return refused(event);
    works();
    version = event.version;
    const bool ours = event.kind != Kind::bookmark && event.name == options.name;
    if (!ours) return on_change.confirmed();
    const bool there = event.kind == Kind::current;
    report(there ? &event.object : nullptr, there ? event.version : std::string());
  }
  void refused(const WatchEvent& error) {
    stop();
    if (lost_our_place(error.code)) return lose_place({});
    failed(trouble({.status = error.code, .body = error.message}), {});
  }
  void stood() {
    works();
    on_change.confirmed();
  }
  void ended(const http::HttpReply& reply) {
    under_way.reset();
    steady->disarm();
    const bool begun = reply.status >= 200 && reply.status < 300;
    if (reply.failure == http::HttpFailure::too_large || (!begun && lost_our_place(reply.status)))
      return lose_place(reply.retry_after);
    if (!reply.ok()) return failed(begun && backoff.failures() == 0 ? "" : trouble(reply), reply.retry_after);
    if (!watching.worked)
      return failed("", {});  // ended before it began: back off, this may repeat endlessly
    on_change.confirmed();
    if (clock.now() - listed >= options.relist_interval) version.clear();
    next->arm(watching.since + options.min_interval - clock.now());
  }

  // --- failures

  void lose_place(std::optional<Duration> retry_after) {
    stop();
    version.clear();
    failed("", retry_after);
  }
  /// `why` empty: an expected end, not reported.
  void failed(const std::string& why, std::optional<Duration> retry_after) {
    next->arm(backoff.next(retry_after));
    if (!why.empty()) on_change.trouble(why);
  }
};

Result<ObjectWatch> ObjectWatch::open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                      Random random, Options options, OnChange on_change) {
  auto impl = std::make_unique<Impl>(api, clock, std::move(random), std::move(options), std::move(on_change));
  auto next = loop.timer([self = impl.get()] { self->ask(); });
  auto steady = loop.timer([self = impl.get()] { self->stood(); });
  if (!next) return tl::unexpected(next.error());
  if (!steady) return tl::unexpected(steady.error());
  impl->next.emplace(std::move(*next));
  impl->steady.emplace(std::move(*steady));
  impl->next->arm(Duration::zero());
  return ObjectWatch(std::move(impl));
}

ObjectWatch::ObjectWatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ObjectWatch::ObjectWatch(ObjectWatch&&) noexcept = default;
ObjectWatch& ObjectWatch::operator=(ObjectWatch&&) noexcept = default;
ObjectWatch::~ObjectWatch() = default;

}  // namespace evenkeel::kube
