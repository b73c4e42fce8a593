#include "agent/kube/watch/poller.h"

#include <algorithm>
#include <utility>

#include "agent/kube/client/paced_request.h"

namespace evenkeel::kube {

struct Poller::Impl {
  const runtime::Clock& clock;
  Random random;
  Options options;
  OnReply take;
  PacedRequest request;
  std::optional<MonoTime> last_start{};
  MonoTime hurry_until{};

  Impl(KubeClient& server, const runtime::Clock& time, Random numbers, Options how, OnReply to)
      : clock(time),
        random(std::move(numbers)),
        options(std::move(how)),
        take(std::move(to)),
        request(server, time, random,
                {.min_interval = options.min_interval, .longest_wait = options.longest_wait}) {}

  void poll() {
    if (request.in_flight()) return;
    last_start = clock.now();
    request.send(options.call, [this](http::HttpReply reply) { answered(std::move(reply)); });
  }
  void answered(http::HttpReply reply) {
    const auto retry_after = reply.retry_after;
    const bool usable = take(std::move(reply));
    const MonoTime now = clock.now();
    if (usable) {
      request.succeeded();
      const Duration wait = jittered(options.interval, options.jitter, random);
      return request.start_at(now < hurry_until ? soonest() : now + wait);
    }
    const Duration wait = request.next_wait(retry_after);
    if (retry_after) request.pause_until(now + wait);
    request.start_at(now + wait);
  }
  [[nodiscard]] MonoTime soonest() const {
    return std::max(clock.now(), last_start.value_or(MonoTime{}) + options.min_interval);
  }
};

Result<Poller> Poller::open(runtime::EventLoop& loop, KubeClient& client, const runtime::Clock& clock,
                            Random random, Options options, OnReply take) {
  auto impl = std::make_unique<Impl>(client, clock, std::move(random), std::move(options), std::move(take));
  if (auto opened = impl->request.open(loop, [self = impl.get()] { self->poll(); }); !opened)
    return tl::unexpected(opened.error());
  impl->request.start_at(clock.now());
  return Poller(std::move(impl));
}

Poller::Poller(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Poller::Poller(Poller&&) noexcept = default;
Poller& Poller::operator=(Poller&&) noexcept = default;
Poller::~Poller() = default;

void Poller::poll_soon(Duration how_long) {
  impl_->hurry_until = impl_->clock.now() + how_long;
  if (!impl_->request.in_flight() && impl_->last_start) impl_->request.start_at(impl_->soonest());
}

}  // namespace evenkeel::kube
