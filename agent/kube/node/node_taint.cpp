#include "agent/kube/node/node_taint.h"

#include <utility>

#include "agent/document/document.h"
#include "agent/kube/client/answer.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/client/trouble_report.h"
#include "agent/kube/node/patcher.h"
#include "agent/runtime/json.h"

namespace evenkeel::kube {
namespace {

constexpr const char* kKey = "evenkeel.io/contended";
constexpr const char* kEffect = "PreferNoSchedule";
constexpr int kConflict = 409;

/// Whether all of it could be copied: a taint has texts only.
bool put_copy(runtime::Json& json, const document::Value& taint) {
  if (taint.map() == nullptr) return false;
  json.begin_object();
  bool whole = true;
  for (const auto& [key, value] : *taint.map()) {
    const auto* scalar = value.scalar();
    if (scalar != nullptr && scalar->quoted)
      json.member(key, scalar->text);
    else
      whole = whole && scalar != nullptr && scalar->text == "null";
  }
  json.end_object();
  return whole;
}

}  // namespace

std::optional<NodeTaints> taints_in(std::string_view node_json) {
  const auto parsed = document::parse_json(node_json, "node");
  if (!parsed.problems.empty() || document::text_at(parsed.root, {"kind"}) != "Node") return std::nullopt;
  const auto taints = document::list_at(parsed.root, {"spec", "taints"});
  if (!taints) return std::nullopt;
  NodeTaints out{.resource_version = document::text_at(parsed.root, {"metadata", "resourceVersion"})};
  runtime::Json json(out.others);
  for (const auto& taint : *taints) {
    const bool ours =
        document::text_at(taint, {"key"}) == kKey && document::text_at(taint, {"effect"}) == kEffect;
    out.ours = out.ours || ours;
    if (!ours && !put_copy(json, taint)) return std::nullopt;
  }
  return out.resource_version.empty() ? std::nullopt : std::optional(std::move(out));
}

std::string taint_patch(const NodeTaints& seen, bool wanted) {
  std::string ours;
  runtime::Json taint(ours);
  if (wanted) taint.begin_object().member("key", kKey).member("effect", kEffect).end_object();
  const bool both = wanted && !seen.others.empty();
  std::string out;
  runtime::Json json(out);
  json.begin_object()
      .key("metadata")
      .begin_object()
      .member("resourceVersion", seen.resource_version)
      .end_object();
  json.key("spec").begin_object();
  // Without any the list itself is removed.
  json.key("taints");
  out += wanted || !seen.others.empty() ? '[' + seen.others + (both ? "," : "") + ours + ']' : "null";
  out += "}}";
  return out;
}

struct NodeTaint::Impl {
  runtime::EventLoop& loop;
  TroubleReport trouble_report;
  std::optional<Patcher> patcher{};
  std::optional<bool> wanted{};  ///< absent: nothing was ever published
  std::optional<NodeTaints> seen{};
  bool leaving = false;

  Impl(runtime::EventLoop& events, std::function<void(const std::string&)> complain)
      : loop(events), trouble_report(std::move(complain)) {}

  [[nodiscard]] bool settled() const { return seen && seen->ours == *wanted; }
  void send(bool urgent) {
    patcher->publish([this] { return body(); }, urgent);
  }
  [[nodiscard]] std::string body() const {
    if (!seen) return "{}";  // reads the Node
    return settled() ? std::string() : taint_patch(*seen, *wanted);
  }
  void want(bool tainted, bool urgent) {
    wanted = tainted;
    seen.reset();
    send(urgent);
  }
  void say(std::optional<bool> tainted) {
    if (!tainted && !wanted) return;
    if (const bool now = tainted.value_or(false); wanted != now) want(now, false);
  }
  bool take(const http::HttpReply& reply) {
    auto why = trouble(reply);
    seen = why.empty() ? taints_in(reply.body) : std::nullopt;
    if (why.empty() && !seen) why = "the server's answer is not a Node with taints that can be kept";
    if (reply.status != kConflict) trouble_report.update(why);  // then it is read again
    if (!seen) return false;
    if (!settled())
      send(true);
    else if (leaving)
      loop.stop();
    return true;
  }
  void take_off(Duration patience) {
    if (!wanted || (!*wanted && settled())) return;
    publish_at_the_end(loop, patience, [this] {
      leaving = true;
      want(false, true);
    });
  }
};

Result<NodeTaint> NodeTaint::open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                  Random random, const Options& options,
                                  std::function<void(const std::string&)> failed) {
  auto impl = std::make_unique<Impl>(loop, std::move(failed));
  auto patcher =
      Patcher::open(loop, api, clock, std::move(random),
                    {.path = "/api/v1/nodes/" + options.node,
                     .spread = options.spread,
                     .min_interval = options.min_interval,
                     .longest_wait = options.longest_wait},
                    [self = impl.get()](const http::HttpReply& reply) { return self->take(reply); });
  if (!patcher) return tl::unexpected(patcher.error());
  impl->patcher.emplace(std::move(*patcher));
  return NodeTaint(std::move(impl));
}

NodeTaint::NodeTaint(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NodeTaint::NodeTaint(NodeTaint&&) noexcept = default;
NodeTaint& NodeTaint::operator=(NodeTaint&&) noexcept = default;
NodeTaint::~NodeTaint() = default;

void NodeTaint::publish(std::optional<bool> tainted) { impl_->say(tainted); }
void NodeTaint::clear(Duration patience) { impl_->take_off(patience); }

}  // namespace evenkeel::kube
