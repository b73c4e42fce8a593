#include "agent/kube/watch/list_watch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/kube/client/answer.h"

namespace evenkeel::kube {
namespace {

constexpr double kJitter = 0.2;  ///< spreads thousands of agents on one API server

/// The server cannot resume at our version: bad version, gone, or not there yet.
bool lost_our_place(int status) { return status == 400 || status == 410 || status == 504; }

}  // namespace

std::string selection_url(const std::string& collection, const std::string& selector,
                          const std::string& parameters) {
  return collection + '?' + parameters + "fieldSelector=" + http::escaped(selector);
}

struct ListWatch::Impl {
  KubeClient& api;
  const runtime::Clock& clock;
  Random random;
  Options options;
  OnAnswer on_answer;
  Backoff backoff;
  struct Timers {
    std::optional<runtime::Timer> next{};    ///< fires when the next request is due
    std::optional<runtime::Timer> steady{};  ///< fires when a watch has lasted a while
  } timers{};
  std::optional<KubeClient::Id> under_way{};
  std::string version{};  ///< where a watch resumes; empty: list first
  std::string known{};    ///< the newest version of which the server has said anything; empty: none
  MonoTime listed{};
  document::ListReader reader;
  /// The current watch.
  struct Watching {
    MonoTime since{};
    bool worked = false;  ///< an event has come
  } watching{};

  Impl(KubeClient& server, const runtime::Clock& time, Random numbers, Options how, OnAnswer to)
      : api(server),
        clock(time),
        random(std::move(numbers)),
        options(std::move(how)),
        on_answer(std::move(to)),
        backoff({.first = options.min_interval, .longest = options.longest_wait, .jitter = kJitter}, random),
        reader({.rest = list_head_filter(), .items = options.kept, .longest_item = options.longest},
               {.item = [this](const document::Value& object) { on_answer.listed(object); },
                .too_long = [this](std::string_view beginning) { on_answer.too_long(beginning); }}) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { stop(); }

  void stop() {
    if (under_way) api.cancel(*std::exchange(under_way, std::nullopt));
    if (timers.steady) timers.steady->disarm();
  }
  void ask() {
    if (version.empty()) {
      list();
    } else {
      watch();
    }
  }
  [[nodiscard]] Duration somewhat_later() const {
    return random ? std::chrono::duration_cast<Duration>(options.spread * random()) : Duration::zero();
  }

  // --- listing

  /// A list from the server's cache spares its store. Except for the first, no list may be older than what
  /// was passed on.
  [[nodiscard]] std::string how_new() const {
    if (known.empty()) return kFromCache;
    return options.relist_from_cache ? "&resourceVersion=" + http::escaped(known) : std::string();
  }
  void list() {
    http::HttpCall call{.url = selection_url(options.collection, options.selector) + how_new(),
                        .headers = {"Accept: application/json"},
                        .total_timeout = options.timeout,
                        .longest_body = document::kLongestList,
                        .piece = [this](std::string_view piece) { return reader.add(piece); }};
    reader.begin();
    on_answer.list_begins();
    under_way = api.start(std::move(call), [this](const http::HttpReply& reply) { take_list(reply); });
  }
  void take_list(const http::HttpReply& reply) {
    under_way.reset();
    // A server that is behind us for good was restored from a backup: what it has counts.
    // (A load balancer's own 504 is no Status, and says nothing of the server.)
    if (options.relist_from_cache && lost_our_place(reply.status) && parse_status(reply.body)) known.clear();
    if (const auto why = transport_trouble(reply); !why.empty()) return failed(why, reply.retry_after);
    auto answer = read_list_head(reader.end());
    if (answer.problem.empty()) answer.problem = on_answer.list();
    if (!answer.problem.empty()) return failed(answer.problem, reply.retry_after);
    known = version = answer.version;
    listed = clock.now();
    timers.next->arm(Duration::zero());
  }

  // --- watching

  void watch() {
    const auto lasts =
        std::chrono::ceil<std::chrono::seconds>(jittered(options.watch_lifetime, kJitter, random));
    watching = {.since = clock.now()};
    http::HttpCall call{
        .url = selection_url(options.collection, options.selector, "watch=true&allowWatchBookmarks=true&") +
               "&resourceVersion=" + http::escaped(version) +
               "&timeoutSeconds=" + std::to_string(lasts.count()),
        .headers = {"Accept: application/json"},
        .total_timeout = lasts + options.stale_after,
        .longest_body = options.longest,
        .line = [this](std::string_view line) { take_line(line); },
        .begun = [this] { timers.steady->arm(options.stable_after); }};
    under_way = api.start(std::move(call), [this](const http::HttpReply& reply) { ended(reply); });
  }
  void works() {
    watching.worked = true;
    backoff.reset();
  }
  void take_line(std::string_view line) {
    const auto event = parse_watch_event(line, options.kept);
    using Kind = WatchEvent::Kind;
    if (event.kind == Kind::malformed) return lose_place({});
    if (event.kind == Kind::error) return refused(event);
    works();
    known = version = event.version;
    if (event.kind == Kind::bookmark) return on_answer.confirmed();
    on_answer.event(event);
  }
  void refused(const WatchEvent& error) {
    stop();
    if (lost_our_place(error.code)) return lose_place({});
    list_if_due();
    failed(trouble({.status = error.code, .body = error.message}), {});
  }
  /// However a watch has ended: where something cuts them all off, none ends in order. A watch that did not
  /// begin does not count, or after a long outage all agents would list at once.
  void list_if_due() {
    if (clock.now() - listed >= options.relist_interval) version.clear();
  }
  void stood() {
    works();
    on_answer.confirmed();
  }
  void ended(const http::HttpReply& reply) {
    under_way.reset();
    timers.steady->disarm();
    const bool begun = reply.status >= 200 && reply.status < 300;
    if (reply.failure == http::HttpFailure::too_large || (!begun && lost_our_place(reply.status)))
      return lose_place(reply.retry_after);
    if (begun) list_if_due();
    if (!reply.ok()) return failed(begun && backoff.failures() == 0 ? "" : trouble(reply), reply.retry_after);
    if (!watching.worked)
      return failed("", {});  // ended before it began: back off, this may repeat endlessly
    on_answer.confirmed();
    timers.next->arm(watching.since + options.min_interval - clock.now());
  }

  // --- failures

  void lose_place(std::optional<Duration> retry_after) {
    stop();
    version.clear();
    timers.next->arm(backoff.next(retry_after) + somewhat_later());
  }
  /// `why` empty: an expected end, not reported.
  void failed(const std::string& why, std::optional<Duration> retry_after) {
    timers.next->arm(backoff.next(retry_after));
    if (!why.empty()) on_answer.trouble(why);
  }
};

Result<ListWatch> ListWatch::open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                  Random random, Options options, OnAnswer on_answer) {
  auto impl = std::make_unique<Impl>(api, clock, std::move(random), std::move(options), std::move(on_answer));
  auto next = loop.timer([self = impl.get()] { self->ask(); });
  auto steady = loop.timer([self = impl.get()] { self->stood(); });
  if (!next) return tl::unexpected(next.error());
  if (!steady) return tl::unexpected(steady.error());
  impl->timers.next.emplace(std::move(*next));
  impl->timers.steady.emplace(std::move(*steady));
  impl->timers.next->arm(impl->somewhat_later());
  return ListWatch(std::move(impl));
}

ListWatch::ListWatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ListWatch::ListWatch(ListWatch&&) noexcept = default;
ListWatch& ListWatch::operator=(ListWatch&&) noexcept = default;
ListWatch::~ListWatch() = default;

}  // namespace evenkeel::kube
