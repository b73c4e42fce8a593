#include "agent/kube/node_reporter.h"

#include <algorithm>
#include <utility>

#include "agent/json.h"
#include "agent/kube/answer.h"
#include "agent/pods/kube_text.h"

namespace evenkeel {
namespace {

std::string resource_name(std::size_t index) { return std::string("kubernetes.io/") + kLentNames[index]; }

/// A patch without a single member changes nothing, and is not to be sent.
bool put_amounts(Json& json, const LentAmounts& amounts, const LentAmounts& standing) {
  bool any = false;
  json.begin_object();
  for (std::size_t i = 0; i < kLentCount; ++i) {
    if (!amounts[i] && !standing[i]) continue;
    any = true;
    json.key(resource_name(i));
    // Amounts are texts: a JSON number of this size would pass through a floating point number somewhere.
    amounts[i] ? json.value(std::to_string(*amounts[i])) : json.null();
  }
  json.end_object();
  return any;
}

}  // namespace

std::optional<LentAmounts> lent_by(std::string_view node_json) {
  const auto parsed = parse_json(node_json, "node");
  if (!parsed.problems.empty() || text_at(parsed.root, {"kind"}) != "Node") return std::nullopt;
  LentAmounts out{};
  for (std::size_t i = 0; i < kLentCount; ++i) {
    const auto name = resource_name(i);
    const auto* value = value_at(parsed.root, {"status", "allocatable", name});
    if (value == nullptr) continue;
    const auto amount = value->scalar() != nullptr ? sane_bytes(value->scalar()->text) : std::nullopt;
    if (!amount) return std::nullopt;
    out[i] = amount->count();
  }
  return out;
}

std::string lending_patch(const LentAmounts& amounts, const LentAmounts& standing) {
  std::string out;
  Json json(out);
  json.begin_object().key("status").begin_object().key("capacity");
  const bool any = put_amounts(json, amounts, standing);
  json.key("allocatable");
  put_amounts(json, amounts, standing);
  json.end_object().end_object();
  return any ? out : std::string();
}

struct NodeReporter::Impl {
  struct Wanted {
    LentAmounts amounts{}, standing{};
  };
  KubeClient& api;
  const Clock& clock;
  Random random;
  Options options;
  Heard heard;
  Backoff backoff;
  std::optional<Timer> timer{};
  std::optional<KubeClient::Id> under_way{};
  std::optional<Wanted> wanted{};  ///< not sent yet
  std::optional<MonoTime> due{};   ///< when it is to be sent
  bool looking = false;
  MonoTime not_before{};  ///< after the last patch, or failure

  Impl(KubeClient& server, const Clock& time, Random numbers, Options how, Heard to)
      : api(server),
        clock(time),
        random(std::move(numbers)),
        options(std::move(how)),
        heard(std::move(to)),
        backoff({.first = options.soonest, .longest = options.longest_wait}, random) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (under_way) api.cancel(*under_way);
  }

  void want(const Wanted& now_wanted, bool urgent) {
    const MonoTime now = clock.now();
    const auto spread = std::chrono::duration_cast<Duration>(options.spread * (random ? random() : 0.0));
    const MonoTime in_turn = now + (urgent ? Duration::zero() : spread);
    // What waits already keeps its turn: a stream of small changes is not put off for ever.
    due = wanted && due ? std::min(*due, in_turn) : in_turn;
    wanted = now_wanted;
    arm();
  }
  void arm() {
    if (under_way || !(wanted || looking)) return;
    const MonoTime in_turn = looking ? clock.now() : due.value_or(clock.now());
    timer->arm(std::max(in_turn, not_before) - clock.now());
  }
  void send() {
    if (under_way) return;
    if (looking) return patch("{}", std::nullopt);  // before anything is written over
    const MonoTime now = clock.now();
    if (wanted && due.value_or(now) <= now) {
      const Wanted sent = *std::exchange(wanted, std::nullopt);
      due.reset();
      const auto body = lending_patch(sent.amounts, sent.standing);
      if (!body.empty()) return patch(body, sent);
    }
    arm();
  }
  void patch(const std::string& body, const std::optional<Wanted>& sent) {
    looking = false;
    HttpCall call{.method = "PATCH",
                  .url = "/api/v1/nodes/" + options.node + "/status",
                  .headers = {"Content-Type: application/merge-patch+json", "Accept: application/json"},
                  .body = body};
    under_way = api.start(std::move(call), [this, sent](const HttpReply& reply) { answered(sent, reply); });
  }
  void answered(const std::optional<Wanted>& sent, const HttpReply& reply) {
    under_way.reset();
    const auto stands = reply.good() ? lent_by(reply.body) : std::nullopt;
    if (stands) {
      backoff.reset();
      not_before = clock.now() + options.soonest;
      if (heard.stands) heard.stands(*stands);
    } else {
      not_before = clock.now() + backoff.next(reply.retry_after);
      if (!wanted) wanted = sent;  // nothing newer has come meanwhile
      looking = looking || !sent;
      if (heard.failed) heard.failed(reply.good() ? "the answer is no Node" : trouble(reply));
    }
    arm();
  }
};

Result<NodeReporter> NodeReporter::open(EventLoop& loop, KubeClient& api, const Clock& clock, Random random,
                                        Options options, Heard heard) {
  auto impl = std::make_unique<Impl>(api, clock, std::move(random), std::move(options), std::move(heard));
  auto timer = loop.timer([self = impl.get()] { self->send(); });
  if (!timer) return tl::unexpected(timer.error());
  impl->timer.emplace(std::move(*timer));
  return NodeReporter(std::move(impl));
}

NodeReporter::NodeReporter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NodeReporter::NodeReporter(NodeReporter&&) noexcept = default;
NodeReporter& NodeReporter::operator=(NodeReporter&&) noexcept = default;
NodeReporter::~NodeReporter() = default;

void NodeReporter::publish(const LentAmounts& amounts, const LentAmounts& standing, bool urgent) {
  impl_->want({amounts, standing}, urgent);
}

void NodeReporter::look() {
  impl_->looking = true;
  impl_->arm();
}

void NodeReporter::stand_back() {
  impl_->wanted.reset();
  impl_->due.reset();
}

}  // namespace evenkeel
