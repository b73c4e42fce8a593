#include <algorithm>
#include <deque>
#include <utility>

#include "agent/document/document.h"
#include "agent/kube/client/answer.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/client/retry_pause.h"
#include "agent/kube/pod_requests.h"
#include "agent/runtime/json.h"

namespace evenkeel::kube {
namespace {

using Outcome = Evictor::Outcome;
using Kind = Outcome::Kind;

constexpr int kMostTries = 3;
// A disruption budget may allow an eviction once another replica is ready; the server seldom says when.
constexpr Duration kBudgetPause = std::chrono::seconds(30);
// Two disruption budgets cover one pod, or the right is missing: an operator has to change something first.
constexpr Duration kLongPause = std::chrono::minutes(10);
/// Between two tries for one pod: two of them are less than the policy waits for a chosen pod to go.
constexpr Duration kLongestPause = std::chrono::seconds(10);
constexpr Duration kGonePause = std::chrono::minutes(1);

struct PodToGo {
  std::string namespace_{}, name{}, uid{};
  int tries = 0;
};

std::string eviction_body(const PodToGo& victim, const std::string& version) {
  std::string out;
  runtime::Json json(out);
  json.begin_object().member("apiVersion", version).member("kind", "Eviction");
  json.key("metadata")
      .begin_object()
      .member("name", victim.name)
      .member("namespace", victim.namespace_)
      .end_object();
  json.key("deleteOptions").begin_object().key("preconditions").begin_object().member("uid", victim.uid);
  json.end_object().end_object().end_object();
  return out;
}

/// The API version of pods/eviction in the server's resource list: "policy/v1". Empty: not listed.
std::string eviction_version(const std::string& body) {
  const auto parsed = document::parse_json(body, "discovery");
  if (!parsed.problems.empty()) return {};
  for (const auto& resource :
       document::list_at(parsed.root, {"resources"}).value_or(std::span<const document::Value>())) {
    if (document::text_at(resource, {"name"}) != "pods/eviction") continue;
    const auto group = document::text_at(resource, {"group"}),
               version = document::text_at(resource, {"version"});
    if (group == "policy" && !version.empty()) return group + '/' + version;
  }
  return {};
}

bool unregistered(const http::HttpReply& reply) {
  return reply.status == 400 && reply.body.find("is registered for version") != std::string::npos;
}

/// A budget that forbids an eviction is named as the cause, by every version of Kubernetes.
bool is_budget(const KubeStatus::Cause& cause) { return cause.reason == "DisruptionBudget"; }

/// A 429 without a budget is an overloaded server's, in plain text or as a Status: it says nothing of the
/// pod.
bool is_overload(const http::HttpReply& reply) {
  if (reply.status != 429) return false;
  const auto status = parse_status(reply.body);
  return !status || std::ranges::none_of(status->causes, is_budget);
}

bool no_answer(const http::HttpReply& reply) {
  const bool budgets = reply.body.find("PodDisruptionBudget") != std::string::npos;
  return reply.failure != http::HttpFailure::none || reply.status == 401 ||
         (reply.status >= 500 && !budgets) || is_overload(reply);
}

/// Maps a final answer to an outcome.
Outcome outcome_of(const http::HttpReply& reply, const std::string& uid) {
  if (reply.ok()) return {Kind::accepted, uid, {}, {}};
  if (reply.status == 404 || reply.status == 409) return {Kind::gone, uid, trouble(reply), kGonePause};
  if (reply.status == 429) {
    std::string why = trouble(reply);
    if (const auto status = parse_status(reply.body))
      for (const auto& cause : status->causes) why += ": " + cause.message;
    return {Kind::refused, uid, why, std::max(reply.retry_after.value_or(kBudgetPause), kBudgetPause)};
  }
  return {Kind::refused, uid, trouble(reply), kLongPause};
}

}  // namespace

struct Evictor::Impl {
  KubeClient& api;
  OnOutcome on_outcome;
  Backoff backoff;
  RetryPause pause{};
  std::optional<KubeClient::Id> under_way{};
  std::deque<PodToGo> queue{};
  std::string version{};  ///< "policy/v1"; empty: not discovered yet

  Impl(KubeClient& server, Random random, OnOutcome to)
      : api(server), on_outcome(std::move(to)), backoff({}, std::move(random)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (under_way) api.cancel(*under_way);
  }

  void next() {
    if (under_way || pause.runs() || queue.empty()) return;
    version.empty() ? discover() : post();
  }
  void discover() {
    under_way = api.start({.url = "/api/v1"}, [this](const http::HttpReply& reply) {
      under_way.reset();
      if (reply.ok()) version = eviction_version(reply.body);
      // Without the right to discover, try policy/v1; the answer shows if it is not served.
      if (version.empty() && (reply.ok() || reply.status == 403)) version = "policy/v1";
      version.empty() ? failed(reply) : next();
    });
  }
  void post() {
    const PodToGo& victim = queue.front();
    http::HttpCall call{
        .method = "POST",
        .url = "/api/v1/namespaces/" + victim.namespace_ + "/pods/" + victim.name + "/eviction",
        .headers = {"Content-Type: application/json"},
        .body = eviction_body(victim, version)};
    under_way = api.start(std::move(call), [this](const http::HttpReply& reply) {
      under_way.reset();
      if (unregistered(reply) && version == "policy/v1") {
        version = "policy/v1beta1";
        return next();
      }
      no_answer(reply) ? failed(reply) : finish(outcome_of(reply, queue.front().uid));
    });
  }
  void failed(const http::HttpReply& reply) {
    PodToGo& pod = queue.front();
    const bool too_long = reply.retry_after.value_or(Duration{}) > kLongestPause;
    if (too_long || ++pod.tries >= kMostTries) {
      // For a refused pod the policy chooses another one at once, and the server would be asked again.
      const bool refused = is_overload(reply) && !too_long;
      return finish(refused ? outcome_of(reply, pod.uid)
                            : Outcome{Kind::unknown, pod.uid, trouble(reply), kGonePause});
    }
    pause.begin(backoff.next(reply.retry_after));
  }
  void finish(const Outcome& outcome) {
    backoff.reset();
    queue.pop_front();
    on_outcome(outcome);
    next();
  }
};

Result<Evictor> Evictor::open(runtime::EventLoop& loop, KubeClient& api, Random random,
                              OnOutcome on_outcome) {
  auto impl = std::make_unique<Impl>(api, std::move(random), std::move(on_outcome));
  if (const auto opened = impl->pause.open(loop, [self = impl.get()] { self->next(); }); !opened)
    return tl::unexpected(opened.error());
  return Evictor(std::move(impl));
}

Evictor::Evictor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Evictor::Evictor(Evictor&&) noexcept = default;
Evictor& Evictor::operator=(Evictor&&) noexcept = default;
Evictor::~Evictor() = default;

void Evictor::request(const eviction::Eviction& victim) {
  impl_->queue.push_back({victim.namespace_, victim.name, victim.uid});
  impl_->next();
}

}  // namespace evenkeel::kube
