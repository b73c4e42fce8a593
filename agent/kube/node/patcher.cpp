#include "agent/kube/node/patcher.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/kube/client/paced_request.h"

namespace evenkeel::kube {

struct Patcher::Impl {
  const runtime::Clock& clock;
  Random random;
  Options options;
  OnReply take;
  PacedRequest request;
  Body wanted{};                  ///< not sent yet
  std::optional<MonoTime> due{};  ///< when to send it
  bool read_first = false;        ///< a patch that changes nothing is sent before the next one

  Impl(KubeClient& server, const runtime::Clock& time, Random numbers, Options how, OnReply to)
      : clock(time),
        random(std::move(numbers)),
        options(std::move(how)),
        take(std::move(to)),
        request(server, time, random,
                {.min_interval = options.min_interval, .longest_wait = options.longest_wait}) {}

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
    if (request.in_flight() || !(wanted || read_first)) return;
    request.start_at(read_first ? clock.now() : due.value_or(clock.now()));
  }
  void send() {
    if (request.in_flight()) return;
    if (read_first) return patch("{}", {});
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
    read_first = false;
    const std::string kind = options.kind == Kind::merge ? "merge" : "strategic-merge";
    http::HttpCall call{
        .method = "PATCH",
        .url = options.path,
        .headers = {"Content-Type: application/" + kind + "-patch+json", "Accept: application/json"},
        .body = std::move(body)};
    request.send(std::move(call),
                 [this, sent = std::move(sent)](const http::HttpReply& reply) { answered(sent, reply); });
  }
  void answered(const Body& sent, const http::HttpReply& reply) {
    if (take(reply)) {
      request.succeeded();
      request.pause_until(clock.now() + options.min_interval);
    } else {
      request.pause_until(clock.now() + request.next_wait(reply.retry_after));
      if (!wanted) wanted = sent;  // no newer patch meanwhile
      read_first = read_first || !sent;
    }
    arm();
  }
};

Result<Patcher> Patcher::open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                              Random random, Options options, OnReply take) {
  auto impl = std::make_unique<Impl>(api, clock, std::move(random), std::move(options), std::move(take));
  if (auto opened = impl->request.open(loop, [self = impl.get()] { self->send(); }); !opened)
    return tl::unexpected(opened.error());
  return Patcher(std::move(impl));
}

Patcher::Patcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Patcher::Patcher(Patcher&&) noexcept = default;
Patcher& Patcher::operator=(Patcher&&) noexcept = default;
Patcher::~Patcher() = default;

void Patcher::publish(Body body, bool urgent) { impl_->want(std::move(body), urgent); }

void Patcher::resync() {
  impl_->read_first = true;
  impl_->arm();
}

void Patcher::pause() {
  impl_->wanted = {};
  impl_->due.reset();
}

void publish_at_the_end(runtime::EventLoop& loop, Duration patience, const std::function<void()>& publish) {
  const auto enough = loop.timer([&loop] { loop.stop(); });
  if (!enough) return;
  enough->arm(patience);
  publish();
  static_cast<void>(loop.run());
}

}  // namespace evenkeel::kube
