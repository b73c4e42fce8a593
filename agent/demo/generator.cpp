#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>

#include "agent/demo/load.h"
#include "agent/demo/service.h"

namespace evenkeel::demo {
namespace {

/// Not an error where it is refused: the generator's lateness is measured, and a late round is dropped.
void become_realtime() {
  sched_param lowest{};
  lowest.sched_priority = ::sched_get_priority_min(SCHED_FIFO);
  static_cast<void>(::sched_setscheduler(0, SCHED_FIFO, &lowest));
  static_cast<void>(::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL));
}

timespec until(Duration moment) {
  const Duration left = std::max(Duration::zero(), moment - monotonic());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  return {static_cast<time_t>(seconds.count()), static_cast<long>((left - seconds).count())};
}

class Generator {
 public:
  Generator(std::span<const Duration> schedule, Duration start, std::span<const Connection> connections,
            std::span<Exchange> exchanges)
      : schedule_(schedule), start_(start), connections_(connections), exchanges_(exchanges) {
    for (const Connection& each : connections)
      polled_.push_back({.fd = each.socket, .events = POLLIN, .revents = 0});
  }

  /// False: a connection failed.
  bool run(Duration closing) {
    while (answered_ < schedule_.size() && monotonic() < closing) {
      if (!send_due() || !receive(next_ < schedule_.size() ? due(next_) : closing)) return false;
    }
    for (std::size_t i = 0; i < schedule_.size(); ++i)
      if (exchanges_[i].latency_ns == 0) exchanges_[i].latency_ns = (closing - due(i)).count();
    return true;
  }

 private:
  [[nodiscard]] Duration due(std::size_t number) const { return start_ + schedule_[number]; }

  bool send_due() {
    for (; next_ < schedule_.size() && due(next_) <= monotonic(); ++next_) {
      exchanges_[next_].late_ns = (monotonic() - due(next_)).count();
      if (!connections_[next_ % connections_.size()].wire->send(next_)) return false;
    }
    return true;
  }

  bool receive(Duration moment) {
    const timespec wait = until(moment);
    if (::ppoll(polled_.data(), polled_.size(), &wait, nullptr) < 0) return errno == EINTR;
    for (std::size_t i = 0; i < polled_.size(); ++i) {
      if ((polled_[i].revents & POLLHUP) != 0) return false;
      if ((polled_[i].revents & POLLIN) != 0 && !take(*connections_[i].wire)) return false;
    }
    return true;
  }

  bool take(Wire& wire) {
    arrived_.clear();
    if (!wire.take(arrived_)) return false;
    const Duration now = monotonic();
    for (const std::size_t number : arrived_) {
      if (number >= next_) return false;
      exchanges_[number].latency_ns = (now - due(number)).count();
      ++answered_;
    }
    return true;
  }

  std::span<const Duration> schedule_;
  Duration start_;
  std::span<const Connection> connections_;
  std::span<Exchange> exchanges_;
  std::vector<pollfd> polled_{};
  std::vector<std::size_t> arrived_{};  ///< scratch memory
  std::size_t next_ = 0, answered_ = 0;
};

}  // namespace

int generate(std::span<const Duration> schedule, Duration start, Duration closing,
             std::span<const Connection> connections, std::span<Exchange> exchanges) {
  become_realtime();
  return Generator(schedule, start, connections, exchanges).run(closing) ? 0 : 1;
}

}  // namespace evenkeel::demo
