#include "agent/kube/patcher.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace evenkeel::kube {

struct Patcher::Impl {
  KubeClient& api;
  const runtime::Clock& clock;
  Random random;
  Options options;
  OnReply take;
  Backoff backoff;
  std::optional<runtime::Timer> timer{};
  std::optional<KubeClient::Id> under_way{};
  Body wanted{};                  ///< not sent yet
  std::optional<MonoTime> due{};  ///< when to send it
  bool looking = false;
  MonoTime not_before{};  ///< earliest next patch, after one or a failure

  Impl(KubeClient& server, const runtime::Clock& time, Random numbers, Options how, OnReply to)
      : api(server),
        clock(time),
        random(std::move(numbers)),
        options(std::move(how)),
        take(std::move(to)),
        backoff({.first = options.min_interval, .longest = options.longest_wait}, random) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (under_way) api.cancel(*under_way);
  }

  void want(Body body, bool urgent) {
    const MonoTime now = clock.now();
    const auto spread = std::chrono::duration_cast<Duration>(options.spread * (random ? random() : 0.0));
    const MonoTime in_turn = now + (urgent ? Duration::zero() : spread);
    // A waiting patch keeps its due time: a stream of small changes does not postpone it endlessly.
    due = wanted && due ? std::min(*due, in_turn) : in_turn;
    wanted = std::move(body);
    arm();
  }
  void arm() {
    if (under_way || !(wanted || looking)) return;
    const MonoTime in_turn = looking ? clock.now() : due.value_or(clock.now());
    timer->arm(std::max(in_turn, not_before) - clock.now());
  }
  void send() {
    if (under_way) return;
    if (looking) return patch("{}", {});  // read before overwriting
    const MonoTime now = clock.now();
    if (wanted && due.value_or(now) <= now) {
      Body sent = std::exchange(wanted, {});
      due.reset();
      auto body = sent();
      if (!body.empty()) return patch(std::move(body), std::move(sent));
    }
    arm();
  }
  /// `sent` is empty for a read.
  void patch(std::string body, Body sent) {
    looking = false;
    const std::string kind = options.kind == Kind::merge ? "merge" : "strategic-merge";
    http::HttpCall call{
        .method = "PATCH",
        .url = options.path,
        .headers = {"Content-Type: application/" + kind + "-patch+json", "Accept: application/json"},
        .body = std::move(body)};
    under_way = api.start(std::move(call), [this, sent = std::move(sent)](const http::HttpReply& reply) {
      answered(sent, reply);
    });
  }
  void answered(const Body& sent, const http::HttpReply& reply) {
    under_way.reset();
    if (take(reply)) {
      backoff.reset();
      not_before = clock.now() + options.min_interval;
    } else {
      not_before = clock.now() + backoff.next(reply.retry_after);
      if (!wanted) wanted = sent;  // no newer patch meanwhile
      looking = looking || !sent;
    }
    arm();
  }
};

Result<Patcher> Patcher::open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                              Random random, Options options, OnReply take) {
  auto impl = std::make_unique<Impl>(api, clock, std::move(random), std::move(options), std::move(take));
  auto timer = loop.timer([self = impl.get()] { self->send(); });
  if (!timer) return tl::unexpected(timer.error());
  impl->timer.emplace(std::move(*timer));
  return Patcher(std::move(impl));
}

Patcher::Patcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Patcher::Patcher(Patcher&&) noexcept = default;
Patcher& Patcher::operator=(Patcher&&) noexcept = default;
Patcher::~Patcher() = default;

void Patcher::publish(Body body, bool urgent) { impl_->want(std::move(body), urgent); }

void Patcher::resync() {
  impl_->looking = true;
  impl_->arm();
}

void Patcher::pause() {
  impl_->wanted = {};
  impl_->due.reset();
}

}  // namespace evenkeel::kube
