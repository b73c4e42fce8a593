#include "agent/kube/kube_feed.h"

#include <utility>

#include "agent/http/http_client.h"
#include "agent/kube/client/answer.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/watch/object_watch.h"
#include "agent/kube/watch/pod_watch.h"
#include "agent/kube/watch/poller.h"

namespace evenkeel::kube {
namespace {

/// A container's id appears in the pod list one or two seconds after its cgroup directory.
constexpr Duration kLag = std::chrono::seconds(5);
constexpr double kNodeJitter = 0.2;  ///< spreads thousands of agents on one API server

constexpr const char* kNodeSlosPath = "/apis/slo.koordinator.sh/v1alpha1/nodeslos";
/// Version 0: the server may answer from its cache, which spares its store.
std::string node_path(const std::string& name) { return "/api/v1/nodes/" + name + "?resourceVersion=0"; }

}  // namespace

struct KubeFeed::Impl {
  Environment environment;
  http::HttpClient http;
  std::optional<KubeClient> kubelet{}, api{};
  std::unique_ptr<PodFeed> pods{};
  std::optional<Poller> node{};
  std::optional<ObjectWatch> nodeslo{};
  CgroupId newest_unknown{};

  Impl(Environment given, http::HttpClient client) : environment(std::move(given)), http(std::move(client)) {}

  /// Passes the Node, or the failure to get it, to the inputs. False: the answer was not usable.
  bool take_node(const http::HttpReply& reply) {
    const auto why = trouble(reply);
    bool of_use = false;
    if (!why.empty()) {
      environment.inputs.trouble(inputs::Inputs::kNode, why);
    } else {
      auto parsed = pods::parse_node(reply.body, "answer", pods::Source::server);
      of_use = parsed.problems.empty();
      environment.inputs.deliver(std::move(parsed), environment.clock.now());
    }
    environment.on_change();
    return of_use;
  }

  Result<> open_nodeslo(const Options& options) {
    auto& target = environment.inputs;
    // Passes what the watch reports to the inputs, with the time, and calls `on_change`.
    const auto pass_on = [this](auto take) {
      return [this, take](const auto&... what) {
        take(what..., environment.clock.now());
        environment.on_change();
      };
    };
    const auto source = nodeslo_object(options.nodeslo_name);
    auto watch = ObjectWatch::open(
        environment.loop, *api, environment.clock, environment.random,
        {.name = options.nodeslo_name,
         .watch = {.collection = kNodeSlosPath,
                   .min_interval = options.min_interval,
                   .timeout = options.timeout}},
        {.object = pass_on([&target, source](const document::Value& object, MonoTime now) {
           target.deliver(config::read_nodeslo(object, source), now);
         }),
         .absent = pass_on([&target](MonoTime now) { target.nodeslo_absent(now); }),
         .confirmed = pass_on([&target](MonoTime now) { target.confirmed(inputs::Inputs::kNodeSlo, now); }),
         .trouble = pass_on([&target](const std::string& why, MonoTime) {
           target.trouble(inputs::Inputs::kNodeSlo, why);
         })});
    if (!watch) return tl::unexpected(watch.error());
    nodeslo = std::move(*watch);
    return {};
  }
  Result<> open_kubelet(const Options& options) {
    auto client = KubeClient::open(environment.loop, http, *options.kubelet, "kubelet");
    if (!client) return tl::unexpected(client.error());
    kubelet = std::move(*client);
    return {};
  }
  Result<> open_pods(const Options& options) {
    const bool from_api = api && !options.pods_node.empty();
    if (!kubelet && !from_api) return {};
    auto opened = PodFeed::open(environment, {.kubelet = kubelet ? &*kubelet : nullptr,
                                              .api = from_api ? &*api : nullptr,
                                              .node = options.pods_node,
                                              .interval = options.pods_interval,
                                              .min_interval = options.min_interval,
                                              .timeout = options.timeout});
    if (!opened) return tl::unexpected(opened.error());
    pods = std::move(*opened);
    return {};
  }
  Result<> open_api(const Options& options) {
    auto client = KubeClient::open(environment.loop, http, *options.api, "api");
    if (!client) return tl::unexpected(client.error());
    api = std::move(*client);
    if (!options.nodeslo_name.empty())
      if (auto opened = open_nodeslo(options); !opened) return opened;
    if (options.node_name.empty()) return {};
    auto poller =
        Poller::open(environment.loop, *api, environment.clock, environment.random,
                     {.call = {.url = node_path(options.node_name), .total_timeout = options.timeout},
                      .interval = options.node_interval,
                      .jitter = kNodeJitter,
                      .min_interval = options.min_interval,
                      // No longer than the normal interval: a recovered server is noticed no later.
                      .longest_wait = options.node_interval},
                     [this](const http::HttpReply& reply) { return take_node(reply); });
    if (!poller) return tl::unexpected(poller.error());
    node = std::move(*poller);
    return {};
  }
};

std::string KubeFeed::pods_url(const KubeAccess& kubelet) { return PodFeed::kubelet_url(kubelet.server); }
std::string KubeFeed::api_pods_url(const KubeAccess& api, const std::string& node_name) {
  return PodWatch::url(api.server, node_name);
}
std::string KubeFeed::node_url(const KubeAccess& api, const std::string& node_name) {
  return api.server + "/api/v1/nodes/" + node_name;
}

std::string KubeFeed::nodeslo_object(const std::string& name) { return "nodeslos/" + name; }

Result<std::unique_ptr<KubeFeed>> KubeFeed::open(Environment environment, const Options& options) {
  auto http = http::HttpClient::open(environment.loop);
  if (!http) return tl::unexpected(http.error());
  auto impl = std::make_unique<Impl>(std::move(environment), std::move(*http));
  if (options.kubelet)
    if (auto opened = impl->open_kubelet(options); !opened) return tl::unexpected(opened.error());
  if (options.api)
    if (auto opened = impl->open_api(options); !opened) return tl::unexpected(opened.error());
  if (auto opened = impl->open_pods(options); !opened) return tl::unexpected(opened.error());
  return std::unique_ptr<KubeFeed>(new KubeFeed(std::move(impl)));
}

KubeFeed::KubeFeed(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KubeFeed::~KubeFeed() = default;

void KubeFeed::unknown_cgroup_found(CgroupId youngest) {
  if (!impl_->pods || youngest <= impl_->newest_unknown) return;
  impl_->newest_unknown = youngest;
  impl_->pods->poll_soon(kLag);
}

KubeClient* KubeFeed::kubelet() { return impl_->kubelet ? &*impl_->kubelet : nullptr; }
KubeClient* KubeFeed::api() { return impl_->api ? &*impl_->api : nullptr; }

}  // namespace evenkeel::kube
