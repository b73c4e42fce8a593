#include "agent/runtime/event_loop.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace evenkeel::runtime {
namespace {

timespec to_timespec(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {seconds.count(), (duration - seconds).count()};
}

/// The number of expirations; 0: it was disarmed meanwhile. A timer that cannot be read is set to `next`, or
/// it would be ready for ever; that it is ready is known.
std::uint64_t expirations_of(int fd, const itimerspec& next) {
  std::uint64_t expirations = 0;
  if (::read(fd, &expirations, sizeof expirations) == sizeof expirations) return expirations;
  if (errno == EAGAIN) return 0;
  ::timerfd_settime(fd, 0, &next, nullptr);
  return 1;
}

}  // namespace

Result<EventLoop> EventLoop::open() {
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return fail(errno, Op::watch, "epoll");
  return EventLoop(std::move(epoll));
}

Result<> EventLoop::add(int fd, std::uint32_t events, std::function<void(std::uint32_t)> ready) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return fail(errno, Op::watch, "epoll");
  handlers_[fd] = std::make_shared<std::function<void(std::uint32_t)>>(std::move(ready));
  return {};
}

Result<> EventLoop::change(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0) return fail(errno, Op::watch, "epoll");
  return {};
}

void EventLoop::remove(int fd) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  handlers_.erase(fd);
}

Result<> EventLoop::every(Duration period, std::function<void(std::uint64_t)> tick) {
  Fd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer) return fail(errno, Op::watch, "timerfd");
  const itimerspec spec{to_timespec(period), to_timespec(period)};
  if (::timerfd_settime(timer.get(), 0, &spec, nullptr) != 0) return fail(errno, Op::watch, "timerfd");
  const int fd = timer.get();
  owned_.push_back(std::move(timer));
  return add(fd, EPOLLIN, [fd, spec, tick = std::move(tick)](std::uint32_t) {
    if (const auto expirations = expirations_of(fd, spec); expirations > 0) tick(expirations);
  });
}

Result<Timer> EventLoop::timer(std::function<void()> due) {
  Fd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer) return fail(errno, Op::watch, "timerfd");
  const int fd = timer.get();
  const auto added = add(fd, EPOLLIN, [fd, due = std::move(due)](std::uint32_t) {
    if (expirations_of(fd, {}) > 0) due();
  });
  if (!added) return tl::unexpected(added.error());
  return Timer(*this, std::move(timer));
}

Timer::Timer(Timer&& other) noexcept : loop_(other.loop_), fd_(std::move(other.fd_)) {}

Timer& Timer::operator=(Timer&& other) noexcept {
  std::swap(loop_, other.loop_);
  std::swap(fd_, other.fd_);
  return *this;
}

Timer::~Timer() {
  if (fd_) loop_->remove(fd_.get());
}

void Timer::arm(Duration in) const {
  // All zero would disarm it.
  const itimerspec spec{{}, to_timespec(std::max(in, Duration(1)))};
  ::timerfd_settime(fd_.get(), 0, &spec, nullptr);
}

void Timer::disarm() const {
  const itimerspec spec{};
  ::timerfd_settime(fd_.get(), 0, &spec, nullptr);
}

Result<> EventLoop::on_signals(const std::vector<int>& signals, std::function<void(int)> arrived) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  Fd descriptor(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!descriptor) return fail(errno, Op::watch, "signalfd");
  const int fd = descriptor.get();
  owned_.push_back(std::move(descriptor));
  return add(fd, EPOLLIN, [this, fd, arrived = std::move(arrived)](std::uint32_t) {
    signalfd_siginfo info{};
    while (::read(fd, &info, sizeof info) == sizeof info) arrived(static_cast<int>(info.ssi_signo));
    // A signal that cannot be read may be the one to end.
    if (errno != EAGAIN && errno != EINTR) stop();
  });
}

int EventLoop::run() {
  std::array<epoll_event, 32> events{};
  while (!stopping_) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
    if (count < 0 && errno != EINTR) return errno;
    for (int i = 0; i < count && !stopping_; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      const auto found = handlers_.find(event.data.fd);
      if (found == handlers_.end()) continue;  // removed by an earlier handler in this round
      const auto handler = found->second;      // stays alive even if it removes itself
      (*handler)(event.events);
    }
  }
  stopping_ = false;
  return 0;
}

}  // namespace evenkeel::runtime
