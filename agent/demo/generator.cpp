#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>

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
  Generator(std::span<const Duration> schedule, Duration start, std::span<const Fd> sockets,
            std::span<Exchange> exchanges)
      : schedule_(schedule), start_(start), sockets_(sockets), exchanges_(exchanges) {
    for (const Fd& socket : sockets) polled_.push_back({.fd = socket.get(), .events = POLLIN, .revents = 0});
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
      const std::array<std::uint64_t, 2> request{next_, 0};
      exchanges_[next_].late_ns = (monotonic() - due(next_)).count();
      const int to = sockets_[next_ % sockets_.size()].get();
      // A server that is so far behind that its socket is full does not answer this one.
      if (::send(to, request.data(), sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
        return false;
    }
    return true;
  }

  bool receive(Duration moment) {
    const timespec wait = until(moment);
    if (::ppoll(polled_.data(), polled_.size(), &wait, nullptr) < 0) return errno == EINTR;
    for (const pollfd& each : polled_) {
      if ((each.revents & POLLHUP) != 0) return false;
      if ((each.revents & POLLIN) != 0 && !take(each.fd)) return false;
    }
    return true;
  }

  bool take(int socket) {
    std::array<std::uint64_t, 2> answer{};
    if (::recv(socket, answer.data(), sizeof answer, MSG_DONTWAIT) != static_cast<ssize_t>(sizeof answer))
      return false;
    if (answer[0] >= next_) return false;
    exchanges_[answer[0]].latency_ns = (monotonic() - due(answer[0])).count();
    ++answered_;
    return true;
  }

  std::span<const Duration> schedule_;
  Duration start_;
  std::span<const Fd> sockets_;
  std::span<Exchange> exchanges_;
  std::vector<pollfd> polled_{};
  std::size_t next_ = 0, answered_ = 0;
};

}  // namespace

int generate(std::span<const Duration> schedule, Duration start, Duration closing,
             std::span<const Fd> sockets, std::span<Exchange> exchanges) {
  become_realtime();
  return Generator(schedule, start, sockets, exchanges).run(closing) ? 0 : 1;
}

}  // namespace evenkeel::demo
