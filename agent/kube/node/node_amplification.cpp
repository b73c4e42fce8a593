#include "agent/kube/node/node_amplification.h"

#include <array>
#include <cstdio>
#include <utility>

#include "agent/document/document.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/node/versioned_patcher.h"
#include "agent/runtime/json.h"

namespace evenkeel::kube {
namespace {

constexpr const char* kRatio = "node.koordinator.sh/resource-amplification-ratio";

constexpr const char* kOfAnother =
    "the Node has a node.koordinator.sh/resource-amplification-ratio of another writer, which outranks the "
    "agent's";
constexpr const char* kTakenOver =
    "another writer has removed or changed the agent's node.koordinator.sh/resource-amplification-ratio: the "
    "agent writes it again only after it was restarted";

}  // namespace

std::optional<Amplification> amplification_in(std::string_view node_json) {
  const auto parsed = document::parse_json(node_json, "node");
  if (!parsed.problems.empty() || document::text_at(parsed.root, {"kind"}) != "Node") return std::nullopt;
  const auto metadata = [&](const char* key) { return document::text_at(parsed.root, {"metadata", key}); };
  const auto annotation = [&](const char* key) {
    return document::text_at(parsed.root, {"metadata", "annotations", key});
  };
  Amplification out{.uid = metadata("uid"),
                    .resource_version = metadata("resourceVersion"),
                    .ratio = annotation(kRatio),
                    .mark = annotation(kAmplificationMark)};
  return out.resource_version.empty() ? std::nullopt : std::optional(std::move(out));
}

std::string amplification_text(const std::optional<double>& standard_cpus) {
  if (!standard_cpus || *standard_cpus <= 1) return {};
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "{\"cpu\":%.2f}", *standard_cpus);
  return text.data();
}

std::string amplification_patch(const Amplification& seen, const Amplification& wanted) {
  std::string out;
  runtime::Json json(out);
  json.begin_object().key("metadata").begin_object().member("resourceVersion", seen.resource_version);
  json.key("annotations").begin_object();
  const auto put = [&](const char* key, const std::string& before, const std::string& after) {
    if (before == after) return;
    json.key(key);
    if (after.empty())
      json.null();
    else
      json.value(after);
  };
  put(kRatio, seen.ratio, wanted.ratio);
  put(kAmplificationMark, seen.mark, wanted.mark);
  json.end_object().end_object().end_object();
  return out;
}

struct NodeAmplification::Impl {
  struct Looks {
    Duration interval{};
    MonoTime last{};
  };
  Looks looks;
  std::function<void(const std::string&)> left_alone;
  std::optional<VersionedPatcher> patcher{};
  std::optional<std::string> text{};  ///< wanted; empty: none; absent: nothing was ever published
  Amplification seen{};
  std::optional<Amplification> confirmed{};  ///< with a text of the agent, as it stood last
  std::string why_left{};
  bool putting = false;  ///< the last patch puts the wanted text there
  bool yielded = false;

  Impl(Duration look_interval, std::function<void(const std::string&)> leave)
      : looks{.interval = look_interval}, left_alone(std::move(leave)) {}

  /// What stands there is not the agent's to write.
  [[nodiscard]] bool hands_off() const { return yielded || (!seen.ratio.empty() && !seen.ours()); }
  [[nodiscard]] Amplification wanted() const {
    Amplification out = seen;
    if (!hands_off()) out.ratio = *text;
    // A mark alone would make an equal text of another writer look like the agent's.
    out.mark = hands_off() ? std::string() : *text;
    return out;
  }
  std::string patch() {
    putting = !text->empty() && !hands_off();
    return amplification_patch(seen, wanted());
  }
  void want(std::string next) {
    text = std::move(next);
    if (text->empty()) confirmed.reset();  // the agent itself takes it off
  }
  void say(const std::optional<double>& standard_cpus, bool marked, MonoTime now) {
    auto next = amplification_text(standard_cpus);
    if (!text && next.empty() && !marked) return;
    const bool due = !next.empty() && !yielded && now - looks.last >= looks.interval;
    if (text == next && !due) return;
    looks.last = now;
    if (text != next) want(std::move(next));
    patcher->look(false);
  }
  void judge(bool was_put) {
    // A Node that was deleted and registered again has lost its annotations by no one's wish.
    const bool stood = was_put || (confirmed && confirmed->uid == seen.uid);
    yielded = yielded || (stood && !seen.ours());
    confirmed = seen.ours() && !text->empty() ? std::optional(seen) : std::nullopt;
    const char* why = text->empty() ? "" : yielded ? kTakenOver : hands_off() ? kOfAnother : "";
    if (why_left == why) return;
    why_left = why;
    if (left_alone) left_alone(why_left);
  }
  std::string read(std::string_view node, bool patched) {
    auto now = amplification_in(node);
    if (!now) return "the server's answer is not a Node";
    seen = std::move(*now);
    judge(patched && putting);
    return {};
  }
  void take_off(Duration patience) {
    if (!text || (patcher->settled() && seen.mark.empty())) return;
    want({});
    patcher->finish(patience);
  }
};

Result<NodeAmplification> NodeAmplification::open(runtime::EventLoop& loop, KubeClient& api,
                                                  const runtime::Clock& clock, Random random,
                                                  const Options& options, Reports reports) {
  auto impl = std::make_unique<Impl>(options.look_interval, std::move(reports.left_alone));
  auto* const self = impl.get();
  auto patcher = VersionedPatcher::open(
      loop, api, clock, std::move(random),
      {.path = "/api/v1/nodes/" + options.node + "/status",
       .spread = options.spread,
       .min_interval = options.min_interval,
       .longest_wait = options.longest_wait},
      {.read = [self](std::string_view node, bool patched) { return self->read(node, patched); },
       .as_wanted = [self] { return self->seen == self->wanted(); },
       .patch = [self] { return self->patch(); },
       .failed = std::move(reports.failed)});
  if (!patcher) return tl::unexpected(patcher.error());
  impl->patcher.emplace(std::move(*patcher));
  return NodeAmplification(std::move(impl));
}

NodeAmplification::NodeAmplification(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NodeAmplification::NodeAmplification(NodeAmplification&&) noexcept = default;
NodeAmplification& NodeAmplification::operator=(NodeAmplification&&) noexcept = default;
NodeAmplification::~NodeAmplification() = default;

void NodeAmplification::publish(const std::optional<double>& standard_cpus, bool marked, MonoTime now) {
  impl_->say(standard_cpus, marked, now);
}
void NodeAmplification::clear(Duration patience) { impl_->take_off(patience); }

}  // namespace evenkeel::kube
