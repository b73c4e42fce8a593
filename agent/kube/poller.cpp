#include "agent/kube/poller.h"

#include <algorithm>
#include <utility>

namespace evenkeel::kube {

struct Poller::Impl {
  KubeClient& client;
  const runtime::Clock& clock;
  Random random;
  Options options;
  OnReply take;
  Backoff backoff;
  std::optional<runtime::Timer> timer{};
  std::optional<KubeClient::Id> under_way{};
  std::optional<MonoTime> last_start{};
  MonoTime not_before{};  ///< as the server requested
  MonoTime hurry_until{};

  Impl(KubeClient& server, const runtime::Clock& time, Random numbers, Options how, OnReply to)
      : client(server),
        clock(time),
        random(std::move(numbers)),
        options(std::move(how)),
        take(std::move(to)),
        backoff({.first = options.min_interval, .longest = options.longest_wait}, random) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (under_way) client.cancel(*under_way);
  }

  void ask() {
    if (under_way) return;
    last_start = clock.now();
    under_way = client.start(options.call, [this](http::HttpReply reply) { answered(std::move(reply)); });
  }
  void answered(http::HttpReply reply) {
    under_way.reset();
    const auto retry_after = reply.retry_after;
    const bool of_use = take(std::move(reply));
    const MonoTime now = clock.now();
    if (of_use) backoff.reset();
    Duration wait = of_use ? jittered(options.interval, options.jitter, random) : backoff.next(retry_after);
    if (!of_use && retry_after) not_before = now + wait;
    if (of_use && now < hurry_until) wait = soonest() - now;
    timer->arm(wait);
  }
  [[nodiscard]] MonoTime soonest() const {
    return std::max({clock.now(), not_before, last_start.value_or(MonoTime{}) + options.min_interval});
  }
};

Result<Poller> Poller::open(runtime::EventLoop& loop, KubeClient& client, const runtime::Clock& clock,
                            Random random, Options options, OnReply take) {
  auto impl = std::make_unique<Impl>(client, clock, std::move(random), std::move(options), std::move(take));
  auto timer = loop.timer([self = impl.get()] { self->ask(); });
  if (!timer) return tl::unexpected(timer.error());
  impl->timer.emplace(std::move(*timer));
  impl->timer->arm(Duration::zero());
  return Poller(std::move(impl));
}

Poller::Poller(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Poller::Poller(Poller&&) noexcept = default;
Poller& Poller::operator=(Poller&&) noexcept = default;
Poller::~Poller() = default;

void Poller::poll_soon(Duration how_long) {
  impl_->hurry_until = impl_->clock.now() + how_long;
  if (!impl_->under_way && impl_->last_start) impl_->timer->arm(impl_->soonest() - impl_->clock.now());
}

}  // namespace evenkeel::kube
