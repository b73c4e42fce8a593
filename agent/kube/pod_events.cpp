#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "agent/kube/client/answer.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/client/retry_pause.h"
#include "agent/kube/client/trouble_report.h"
#include "agent/kube/pod_requests.h"
#include "agent/pods/kube_text.h"
#include "agent/runtime/json.h"

namespace evenkeel::kube {
namespace {

constexpr int kMostTries = 3;
constexpr std::size_t kMostWaiting = 32;       ///< events queued for the server
constexpr std::size_t kMostRemembered = 512;   ///< events, so that they are not repeated
constexpr std::size_t kLongestMessage = 1000;  ///< the server accepts 1024 bytes

struct Waiting {
  PodEvent event{};
  std::uint64_t times = 1;
  std::int64_t first_unix_seconds = 0, last_unix_seconds = 0;
  int tries = 0;
};

/// Cuts at a UTF-8 character boundary.
std::string_view cut(std::string_view text) {
  if (text.size() <= kLongestMessage) return text;
  std::size_t end = kLongestMessage;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

bool is_on_node(const PodEvent& event) { return event.name.empty(); }
/// A node has no namespace: its events are kept in "default", with its name as uid, as the kubelet's are.
std::string namespace_of(const PodEvent& event) { return is_on_node(event) ? "default" : event.namespace_; }

std::string body_of(const Waiting& waiting, const std::string& node) {
  const PodEvent& event = waiting.event;
  std::string out;
  runtime::Json json(out);
  json.begin_object().member("apiVersion", "v1").member("kind", "Event").key("metadata").begin_object();
  json.member("generateName", (is_on_node(event) ? node : event.name) + '.');
  json.member("namespace", namespace_of(event)).end_object();
  json.key("involvedObject").begin_object();
  if (is_on_node(event))
    json.member("kind", "Node").member("name", node).member("uid", node);
  else
    json.member("apiVersion", "v1")
        .member("kind", "Pod")
        .member("namespace", event.namespace_)
        .member("name", event.name)
        .member("uid", event.uid);
  json.end_object();
  json.member("type", "Warning").member("reason", event.reason).member("message", cut(event.message));
  json.key("source").begin_object().member("component", "evenkeel").member("host", node).end_object();
  json.member("reportingComponent", "evenkeel").member("reportingInstance", node);
  json.member("firstTimestamp", pods::timestamp(waiting.first_unix_seconds));
  json.member("lastTimestamp", pods::timestamp(waiting.last_unix_seconds)).member("count", waiting.times);
  json.end_object();
  return out;
}

/// Limits the rate of events: so many at once, and one more each `refill`.
class TokenBucket {
 public:
  TokenBucket(const PodEvents::Options& options, MonoTime now)
      : burst_(options.burst), refill_(options.refill), tokens_(options.burst), at_(now) {}
  /// Whether one more may be sent now.
  bool take(MonoTime now) {
    const std::chrono::duration<double> since = now - at_, each = refill_;
    tokens_ = std::min<double>(burst_, tokens_ + since / each);
    at_ = now;
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  double burst_;
  Duration refill_;
  double tokens_;
  MonoTime at_;
};

/// Whether a retry can help.
bool worth_another_try(const http::HttpReply& reply) {
  return reply.failure != http::HttpFailure::none || reply.status == 429 || reply.status >= 500;
}

}  // namespace

struct PodEvents::Impl {
  /// An event sent recently.
  struct Remembered {
    MonoTime sent_at{};
    std::uint64_t times = 1;
    std::int64_t first_unix_seconds = 0;
  };
  KubeClient& api;
  const runtime::Clock& clock;
  const runtime::WallClock& wall;
  Options options;
  TroubleReport trouble_report;
  Backoff backoff;
  RetryPause pause{};
  std::optional<KubeClient::Id> under_way{};
  std::deque<Waiting> queue{};
  std::map<std::string, Remembered> remembered{};
  TokenBucket tokens;
  record::PodEventCounters counters{};

  Impl(KubeClient& server, const runtime::Clock& time, const runtime::WallClock& date, Random random,
       Options how, std::function<void(const std::string&)> complain)
      : api(server),
        clock(time),
        wall(date),
        options(std::move(how)),
        trouble_report(std::move(complain)),
        backoff({}, std::move(random)),
        tokens(options, clock.now()) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (under_way) api.cancel(*under_way);
  }

  void forget_the_old(MonoTime now) {
    std::erase_if(remembered, [&](const auto& entry) {
      return now - entry.second.sent_at >= 2 * options.repeat_interval;
    });
    if (remembered.size() < kMostRemembered) return;
    remembered.erase(std::min_element(remembered.begin(), remembered.end(), [](const auto& a, const auto& b) {
      return a.second.sent_at < b.second.sent_at;
    }));
  }
  void enqueue(const PodEvent& event) {
    const MonoTime now = clock.now();
    const auto unix_seconds = static_cast<std::int64_t>(wall.unix_seconds());
    const auto key = event.uid + ' ' + event.reason + ' ' + event.about;
    auto known = remembered.find(key);
    if (known != remembered.end() && now - known->second.sent_at < options.repeat_interval) {
      ++known->second.times;
      ++counters.repeated;
      return;
    }
    if (queue.size() >= kMostWaiting || !tokens.take(now)) return void(++counters.dropped);
    forget_the_old(now);
    auto& row = remembered.try_emplace(key, Remembered{now, 0, unix_seconds}).first->second;
    row.sent_at = now;
    ++row.times;
    queue.push_back({event, row.times, row.first_unix_seconds, unix_seconds});
    next();
  }
  void next() {
    if (under_way || pause.runs() || queue.empty()) return;
    const Waiting& waiting = queue.front();
    http::HttpCall call{.method = "POST",
                        .url = "/api/v1/namespaces/" + namespace_of(waiting.event) + "/events",
                        .headers = {"Content-Type: application/json"},
                        .body = body_of(waiting, options.node)};
    under_way = api.start(std::move(call), [this](const http::HttpReply& reply) { answered(reply); });
  }
  void answered(const http::HttpReply& reply) {
    under_way.reset();
    const auto why = trouble(reply);
    if (why.empty()) {
      ++counters.sent;
      trouble_report.update({});
      return done();
    }
    if (worth_another_try(reply) && ++queue.front().tries < kMostTries)
      return pause.begin(backoff.next(reply.retry_after));
    ++counters.dropped;
    trouble_report.update(why);
    done();
  }
  void done() {
    backoff.reset();
    queue.pop_front();
    next();
  }
};

Result<PodEvents> PodEvents::open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                  const runtime::WallClock& wall, Random random, Options options,
                                  std::function<void(const std::string&)> failed) {
  auto impl =
      std::make_unique<Impl>(api, clock, wall, std::move(random), std::move(options), std::move(failed));
  if (const auto opened = impl->pause.open(loop, [self = impl.get()] { self->next(); }); !opened)
    return tl::unexpected(opened.error());
  return PodEvents(std::move(impl));
}

PodEvents::PodEvents(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PodEvents::PodEvents(PodEvents&&) noexcept = default;
PodEvents& PodEvents::operator=(PodEvents&&) noexcept = default;
PodEvents::~PodEvents() = default;

void PodEvents::send(const PodEvent& event) { impl_->enqueue(event); }
const record::PodEventCounters& PodEvents::counters() const { return impl_->counters; }

}  // namespace evenkeel::kube
