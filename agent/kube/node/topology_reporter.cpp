#include "agent/kube/node/topology_reporter.h"

#include <algorithm>
#include <utility>

#include "agent/document/document.h"
#include "agent/kube/client/answer.h"
#include "agent/kube/client/paced_request.h"

namespace evenkeel::kube {
namespace {

const std::string kCollection = "/apis/topology.node.k8s.io/v1alpha1/noderesourcetopologies";
constexpr int kNotFound = 404;
constexpr int kConflict = 409;

std::string why_not(const http::HttpReply& reply) {
  if (reply.ok()) return "the answer is not a Node";
  if (reply.failure == http::HttpFailure::none && reply.status == kNotFound && !parse_status(reply.body))
    return "404 the cluster has no NodeResourceTopology resource (topology.node.k8s.io/v1alpha1)";
  return trouble(reply);
}

std::string uid_in(const std::string& object) {
  const auto parsed = document::parse_json(object, "answer");
  return parsed.problems.empty() ? document::text_at(parsed.root, {"metadata", "uid"}) : std::string();
}

}  // namespace

struct TopologyReporter::Impl {
  const runtime::Clock& clock;
  Random random;
  Options options;
  Environment environment;
  PacedRequest request;
  std::optional<std::string> standing{};  ///< the object as last answered; absent: not known
  bool missing = false;                   ///< the server has none
  std::string node_uid{};
  MonoTime opened{}, looked{};
  record::ReportState state{};
  bool told = false;

  Impl(KubeClient& api, const runtime::Clock& time, Random numbers, Options how, Environment to)
      : clock(time),
        random(numbers),
        options(std::move(how)),
        environment(std::move(to)),
        request(api, time, std::move(numbers),
                {.min_interval = options.min_interval, .longest_wait = options.longest_wait}) {}

  [[nodiscard]] std::string path() const { return kCollection + '/' + options.node; }
  void begin() {
    opened = clock.now();
    request.start_at(opened + jittered(options.start / 2, 1, random));
  }
  void outcome(const std::string& why) {
    if (!why.empty()) ++state.failures;
    if (std::exchange(told, true) && state.last_error == why) return;
    state.last_error = why;
    environment.on_change(state);
  }

  void due() {
    if (request.in_flight()) return;
    if (missing) return create();
    if (!standing || clock.now() - looked >= options.look_interval) return patch("{}");
    const auto body = environment.patch(*standing);
    if (!body) return unknown(body.error());
    if (!body->empty()) return patch(*body);
    stands();
  }
  void stands() {
    if (state.last_accepted != looked) ++state.accepted;
    state.last_accepted = looked;
    outcome({});
    request.start_at(clock.now() + jittered(options.interval, options.jitter, random));
  }
  void create() {
    if (node_uid.empty()) return ask("GET", "/api/v1/nodes/" + options.node + "?resourceVersion=0", {});
    auto body = environment.object(node_uid);
    if (!body) return unknown(body.error());
    ask("POST", kCollection, std::move(*body));
  }
  /// No server is asked for it, so it may be known at any moment.
  void unknown(const std::string& why) {
    const MonoTime now = clock.now();
    if (now - opened >= options.start) outcome(why);
    request.start_at(now + std::min(request.next_wait({}), options.interval));
  }
  void patch(std::string body) { ask("PATCH", path(), std::move(body)); }
  void ask(const std::string& method, std::string url, std::string body) {
    http::HttpCall call{.method = method,
                        .url = std::move(url),
                        .headers = {"Accept: application/json"},
                        .body = std::move(body)};
    if (method != "GET")
      call.headers.emplace_back(method == "POST" ? "Content-Type: application/json"
                                                 : "Content-Type: application/merge-patch+json");
    request.send(std::move(call), [this, method](const http::HttpReply& reply) { take(method, reply); });
  }

  void take(const std::string& method, const http::HttpReply& reply) {
    if (method != "GET") {
      missing = reply.status == kNotFound && method == "PATCH" && parse_status(reply.body).has_value();
      standing.reset();
    }
    if (missing && method == "PATCH") {
      node_uid.clear();  // an object that is gone may have gone with its Node
      return next();     // it is to be created
    }
    if (!reply.ok()) return refuse(why_not(reply), reply.retry_after, reply.status == kConflict);
    if (method == "GET") {
      node_uid = uid_in(reply.body);
      return node_uid.empty() ? refuse(why_not(reply), {}) : next();
    }
    standing = reply.body;
    looked = clock.now();
    next();
  }
  /// The next step follows as soon as requests may.
  void next() {
    request.succeeded();
    request.pause_until(clock.now() + options.min_interval);
    request.start_at(clock.now());
  }
  /// After a conflict the object is read again, which is no trouble.
  void refuse(const std::string& why, std::optional<Duration> retry_after, bool silently = false) {
    standing.reset();
    if (!silently) outcome(why);
    request.pause_until(clock.now() + request.next_wait(retry_after));
    request.start_at(clock.now());
  }
};

Result<TopologyReporter> TopologyReporter::open(runtime::EventLoop& loop, KubeClient& api,
                                                const runtime::Clock& clock, Random random, Options options,
                                                Environment environment) {
  auto impl =
      std::make_unique<Impl>(api, clock, std::move(random), std::move(options), std::move(environment));
  if (auto opened = impl->request.open(loop, [self = impl.get()] { self->due(); }); !opened)
    return tl::unexpected(opened.error());
  impl->begin();
  return TopologyReporter(std::move(impl));
}

TopologyReporter::TopologyReporter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TopologyReporter::TopologyReporter(TopologyReporter&&) noexcept = default;
TopologyReporter& TopologyReporter::operator=(TopologyReporter&&) noexcept = default;
TopologyReporter::~TopologyReporter() = default;

const record::ReportState& TopologyReporter::state() const { return impl_->state; }

}  // namespace evenkeel::kube
