#include "agent/kube/node/node_condition.h"

#include <utility>

#include "agent/kube/client/answer.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/client/trouble_report.h"
#include "agent/kube/node/patcher.h"
#include "agent/pods/kube_text.h"
#include "agent/runtime/json.h"

namespace evenkeel::kube {
namespace {

void put_condition(runtime::Json& json, const char* type, const std::optional<record::NodeProblem>& problem,
                   std::int64_t since_unix_seconds, std::int64_t now_unix_seconds) {
  json.begin_object();
  if (problem) {
    json.member("type", type).member("status", "True");
    json.member("reason", problem->reason).member("message", problem->message);
    json.member("lastTransitionTime", pods::timestamp(since_unix_seconds));
    json.member("lastHeartbeatTime", pods::timestamp(now_unix_seconds));
  } else {
    json.member("$patch", "delete").member("type", type);
  }
  json.end_object();
}

}  // namespace

std::string condition_patch(const NodeProblems& problems, const ProblemsSince& since,
                            std::int64_t now_unix_seconds) {
  std::string out;
  runtime::Json json(out);
  json.begin_object().key("status").begin_object().key("conditions").begin_array();
  put_condition(json, "EvenkeelDegraded", problems.degraded, since.degraded, now_unix_seconds);
  put_condition(json, "EvenkeelContended", problems.contended, since.contended, now_unix_seconds);
  json.end_array().end_object().end_object();
  return out;
}

struct NodeCondition::Impl {
  runtime::EventLoop& loop;
  const runtime::Clock& clock;
  const runtime::WallClock& wall;
  Options options;
  TroubleReport trouble_report;
  std::optional<Patcher> patcher{};
  std::optional<NodeProblems> published{};  ///< the last state that was published; absent: none yet
  NodeProblems sent{};                      ///< what the last request said
  bool confirmed = false;                   ///< the server has taken what was published last
  MonoTime well_at{};                       ///< the last time when the agent was not degraded, or the start
  ProblemsSince since{};                    ///< of the published problems
  bool leaving = false;

  Impl(runtime::EventLoop& events, const runtime::Clock& time, const runtime::WallClock& date, Options how,
       std::function<void(const std::string&)> complain)
      : loop(events),
        clock(time),
        wall(date),
        options(std::move(how)),
        trouble_report(std::move(complain)),
        well_at(time.now()) {}

  [[nodiscard]] std::int64_t unix_seconds() const { return static_cast<std::int64_t>(wall.unix_seconds()); }

  std::string body(const NodeProblems& problems) {
    sent = problems;
    return condition_patch(problems, since, unix_seconds());
  }
  void publish(const NodeProblems& now, bool urgent) {
    const NodeProblems before = published.value_or(NodeProblems{});
    if (now.degraded && !before.degraded) since.degraded = unix_seconds();
    if (now.contended && !before.contended) since.contended = unix_seconds();
    published = now;
    confirmed = false;
    patcher->publish([this, now] { return body(now); }, urgent);
  }
  void say(NodeProblems now) {
    if (!now.degraded) well_at = clock.now();
    if (now.degraded && clock.now() - well_at < options.lasting) {
      if (!published) return;  // an earlier run may have said the same
      now.degraded.reset();
    }
    if (published != now) publish(now, false);
  }
  bool take(const http::HttpReply& reply) {
    const auto why = trouble(reply);
    const bool newest = sent == published;  // else a newer patch waits for this answer
    confirmed = why.empty() && newest;
    trouble_report.update(why);
    if (leaving && newest) loop.stop();
    return why.empty();
  }
  void take_off(Duration patience) {
    if (!published || (published == NodeProblems{} && confirmed)) return;
    publish_at_the_end(loop, patience, [this] {
      leaving = true;
      publish({}, true);
    });
  }
};

Result<NodeCondition> NodeCondition::open(runtime::EventLoop& loop, KubeClient& api,
                                          const runtime::Clock& clock, const runtime::WallClock& wall,
                                          Random random, Options options,
                                          std::function<void(const std::string&)> failed) {
  auto impl = std::make_unique<Impl>(loop, clock, wall, std::move(options), std::move(failed));
  auto patcher =
      Patcher::open(loop, api, clock, std::move(random),
                    {.path = "/api/v1/nodes/" + impl->options.node + "/status",
                     .kind = Patcher::Kind::strategic_merge,
                     .spread = impl->options.spread},
                    [self = impl.get()](const http::HttpReply& reply) { return self->take(reply); });
  if (!patcher) return tl::unexpected(patcher.error());
  impl->patcher.emplace(std::move(*patcher));
  return NodeCondition(std::move(impl));
}

NodeCondition::NodeCondition(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NodeCondition::NodeCondition(NodeCondition&&) noexcept = default;
NodeCondition& NodeCondition::operator=(NodeCondition&&) noexcept = default;
NodeCondition::~NodeCondition() = default;

void NodeCondition::publish(const NodeProblems& now) { impl_->say(now); }
void NodeCondition::clear(Duration patience) { impl_->take_off(patience); }

}  // namespace evenkeel::kube
