#include "agent/kube/node/node_taint.h"

#include <utility>

#include "agent/document/document.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/node/versioned_patcher.h"
#include "agent/runtime/json.h"

namespace evenkeel::kube {
namespace {

constexpr const char* kKey = "evenkeel.io/contended";
constexpr const char* kEffect = "PreferNoSchedule";

/// Whether all of it could be copied: a taint has texts only.
bool put_copy(runtime::Json& json, const document::Value& taint) {
  if (taint.map() == nullptr) return false;
  json.begin_object();
  bool whole = true;
  for (const auto& [key, value] : *taint.map()) {
    const auto* scalar = value.scalar();
    if (scalar != nullptr && scalar->quoted)
      json.member(key, scalar->text);
    else if (!value.null())
      whole = false;
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
  std::optional<VersionedPatcher> patcher{};
  std::optional<bool> wanted{};  ///< absent: nothing was ever published
  NodeTaints seen{};

  std::string read(std::string_view node) {
    auto now = taints_in(node);
    if (!now) return "the server's answer is not a Node with taints that can be kept";
    seen = std::move(*now);
    return {};
  }
  void say(std::optional<bool> tainted) {
    if (!tainted && !wanted) return;
    const bool now = tainted.value_or(false);
    if (wanted == now) return;
    wanted = now;
    patcher->look(false);
  }
  void take_off(Duration patience) {
    if (!wanted || (!*wanted && patcher->settled())) return;
    wanted = false;
    patcher->finish(patience);
  }
};

Result<NodeTaint> NodeTaint::open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                  Random random, const Options& options,
                                  std::function<void(const std::string&)> failed) {
  auto impl = std::make_unique<Impl>();
  auto* const self = impl.get();
  auto patcher =
      VersionedPatcher::open(loop, api, clock, std::move(random),
                             {.path = "/api/v1/nodes/" + options.node,
                              .spread = options.spread,
                              .min_interval = options.min_interval,
                              .longest_wait = options.longest_wait},
                             {.read = [self](std::string_view node, bool) { return self->read(node); },
                              .as_wanted = [self] { return self->seen.ours == self->wanted; },
                              .patch = [self] { return taint_patch(self->seen, *self->wanted); },
                              .failed = std::move(failed)});
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
