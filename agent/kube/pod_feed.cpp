#include "agent/kube/pod_feed.h"

#include <optional>
#include <utility>

#include "agent/kube/client/answer.h"
#include "agent/kube/watch/pod_watch.h"
#include "agent/kube/watch/poller.h"

namespace evenkeel::kube {
namespace {

constexpr const char* kPath = "/pods";
/// Over this time the agents of a cluster spread their lists, when they all begin to watch at once.
constexpr Duration kSpread = std::chrono::seconds(5);
/// A missing right is noticed no sooner, and asked for by thousands of agents no more often.
constexpr Duration kLongestWait = std::chrono::seconds(60);
constexpr auto kPods = inputs::Inputs::kPods;

}  // namespace

struct PodFeed::Impl {
  Impl(FeedEnvironment where, Options how) : environment(std::move(where)), options(std::move(how)) {}

  FeedEnvironment environment;
  Options options;
  pods::PodListReader answer{"answer", pods::Source::kubelet};
  std::optional<Poller> kubelet{};
  std::optional<PodWatch> watch{};  ///< of the API server; absent while the kubelet answers
  std::string kubelet_trouble{};    ///< why the API server is watched instead

  [[nodiscard]] MonoTime now() const { return environment.clock.now(); }
  [[nodiscard]] std::string kubelet_url() const { return PodFeed::kubelet_url(options.kubelet->server()); }

  // --- the kubelet

  Result<> poll_kubelet() {
    auto poller =
        Poller::open(environment.loop, *options.kubelet, environment.clock, environment.random,
                     {.call = {.url = kPath,
                               .total_timeout = options.timeout,
                               .longest_body = document::kLongestList,
                               .piece = [this](std::string_view piece) { return answer.add(piece); }},
                      .interval = options.interval,
                      .min_interval = options.min_interval},
                     [this](const http::HttpReply& reply) { return take(reply); });
    if (!poller) return tl::unexpected(poller.error());
    kubelet = std::move(*poller);
    return {};
  }
  /// False: the answer was not usable.
  bool take(const http::HttpReply& reply) {
    auto why = transport_trouble(reply);
    pods::PodList list;
    if (why.empty()) list = answer.end();
    answer.begin();  // forgets what came of a broken answer
    if (!list.problems.empty()) why = list.problems.front().text();
    if (why.empty()) {
      kubelet_answers(std::move(list));
    } else {
      kubelet_fails(why);
    }
    environment.on_change();
    return why.empty();
  }
  void kubelet_answers(pods::PodList list) {
    if (watch) {
      watch.reset();
      environment.inputs.pods_from(kubelet_url(), "the kubelet answers again");
    }
    environment.inputs.deliver(std::move(list), now());
  }
  void kubelet_fails(const std::string& why) {
    kubelet_trouble = kubelet_url() + ": " + why;
    if (watch) return;  // of two servers, only the one that is to deliver is reported
    environment.inputs.trouble(kPods, why);
    const bool fresh = environment.inputs.state(kPods).loaded && !environment.inputs.is_stale(kPods, now());
    if (options.api != nullptr && !fresh && watch_api())
      environment.inputs.pods_from(PodWatch::url(options.api->server(), options.node), kubelet_trouble);
  }

  // --- the API server

  Result<> watch_api() {
    auto opened = PodWatch::open(environment.loop, *options.api, environment.clock, environment.random,
                                 {.node = options.node,
                                  .watch = {.spread = kSpread,
                                            .min_interval = options.min_interval,
                                            .longest_wait = kLongestWait,
                                            .timeout = options.timeout}},
                                 {.pods = [this](pods::PodList list) { api_answers(std::move(list)); },
                                  .confirmed =
                                      [this] {
                                        environment.inputs.confirmed(kPods, now());
                                        environment.on_change();
                                      },
                                  .trouble = [this](const std::string& why) { api_fails(why); }});
    if (!opened) return tl::unexpected(opened.error());
    watch = std::move(*opened);
    return {};
  }
  void api_answers(pods::PodList list) {
    if (options.kubelet != nullptr)
      list.origin = "from the API server, since the kubelet does not answer: " + kubelet_trouble;
    environment.inputs.deliver(std::move(list), now());
    environment.on_change();
  }
  void api_fails(const std::string& why) {
    environment.inputs.trouble(kPods, kubelet_trouble.empty() ? why : why + "; " + kubelet_trouble);
    environment.on_change();
  }
};

std::string PodFeed::kubelet_url(const std::string& server) { return server + kPath; }

Result<std::unique_ptr<PodFeed>> PodFeed::open(const FeedEnvironment& environment, const Options& options) {
  auto impl = std::make_unique<Impl>(environment, options);
  const auto opened = options.kubelet != nullptr ? impl->poll_kubelet() : impl->watch_api();
  if (!opened) return tl::unexpected(opened.error());
  return std::unique_ptr<PodFeed>(new PodFeed(std::move(impl)));
}

PodFeed::PodFeed(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PodFeed::~PodFeed() = default;

void PodFeed::poll_soon(Duration how_long) {
  if (impl_->kubelet && !impl_->watch) impl_->kubelet->poll_soon(how_long);
}

}  // namespace evenkeel::kube
