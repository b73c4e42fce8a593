#include "agent/demo/service.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <iterator>
#include <random>
#include <thread>

#include "agent/demo/load.h"

namespace evenkeel::demo {
namespace {

/// After the last request: a server that is far behind does not keep the demo waiting for minutes.
constexpr Duration kOvertime = std::chrono::seconds(2);

struct Ends {
  std::vector<Fd> server{}, generator{};
};

std::optional<Ends> connected(int connections) {
  Ends ends;
  for (int i = 0; i < connections; ++i) {
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0) return std::nullopt;
    ends.server.emplace_back(pair[0]);
    ends.generator.emplace_back(pair[1]);
  }
  return ends;
}

/// Answers one request with a result that depends on the work, so that the compiler cannot drop it. False:
/// the connection is closed.
bool answer(int socket, std::uint64_t iterations) {
  std::array<std::uint64_t, 2> request{};  // its number, and the result
  const ssize_t length = ::recv(socket, request.data(), sizeof request, MSG_DONTWAIT);
  if (length < 0) return errno == EAGAIN || errno == EINTR;
  if (length == 0) return false;
  request[1] = churn(iterations, request[0]);
  return ::send(socket, request.data(), sizeof request, MSG_NOSIGNAL) >= 0;
}

void answer_all(std::span<const Fd> sockets, std::size_t first, std::size_t step, std::uint64_t iterations) {
  const Fd poll(::epoll_create1(EPOLL_CLOEXEC));
  std::size_t open = 0;
  for (std::size_t i = first; i < sockets.size(); i += step) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = sockets[i].get()}};
    open += ::epoll_ctl(poll.get(), EPOLL_CTL_ADD, sockets[i].get(), &event) == 0 ? 1 : 0;
  }
  while (open > 0) {
    std::array<epoll_event, 16> ready{};
    const int count = ::epoll_wait(poll.get(), ready.data(), static_cast<int>(ready.size()), -1);
    if (count < 0 && errno != EINTR) return;
    for (int i = 0; i < count; ++i) {
      const int socket = ready.at(static_cast<std::size_t>(i)).data.fd;
      if (answer(socket, iterations)) continue;
      ::epoll_ctl(poll.get(), EPOLL_CTL_DEL, socket, nullptr);
      --open;
    }
  }
}

}  // namespace

std::vector<Duration> arrivals(double per_second, Duration length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> gap(per_second);
  std::vector<Duration> moments;
  double at = gap(random);
  while (at < std::chrono::duration<double>(length).count()) {
    moments.push_back(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(at)));
    at += gap(random);
  }
  return moments;
}

int serve(const ServiceLoad& load, std::span<const Fd> sockets) {
  std::vector<std::thread> workers;
  const auto count = static_cast<std::size_t>(load.workers);
  for (std::size_t i = 0; i < count; ++i)
    workers.emplace_back([&, i] { answer_all(sockets, i, count, load.iterations); });
  for (auto& worker : workers) worker.join();
  return 0;
}

Service::Service(const Stage& stage, const ServiceLoad& load)
    : load_(load),
      schedule_(arrivals(load.requests_per_second, load.warm_up + load.length, 1)),
      exchanges_(schedule_.size()) {
  if (load.redis.empty())
    start_builtin(stage);
  else
    redis_ = std::make_unique<RedisServer>(load.redis, [&] { return stage.enter(stage.service()); });
}

// Each side closes the ends of the other one: the server ends when the generator has.
void Service::start_builtin(const Stage& stage) {
  auto ends = connected(load_.connections);
  if (!ends) return;
  connections_ = std::move(ends->generator);
  builtin_ = Child::start(
      [&] {
        ::prctl(PR_SET_NAME, "demo-service");
        connections_.clear();
        return stage.enter(stage.service()) ? serve(load_, ends->server) : 1;
      },
      SIGKILL);
}

bool Service::connect(Console& console) {
  if (!redis_) return builtin_ && !connections_.empty();
  if (!redis_->wait_until_ready(console)) return false;
  connections_ = redis_->connect(load_.connections);
  return std::ssize(connections_) == load_.connections;
}

bool Service::begin(Duration start) {
  if (!exchanges_) return false;
  generator_ = Child::start(
      [&] {
        ::prctl(PR_SET_NAME, "demo-generator");
        std::vector<Connection> connections;
        for (const Fd& each : connections_)
          connections.push_back({each.get(), redis_ ? redis_wire(each.get()) : builtin_wire(each.get())});
        const Duration closing = start + load_.warm_up + load_.length + kOvertime;
        return generate(schedule_, start, closing, connections, exchanges_.all());
      },
      SIGKILL);
  connections_.clear();
  return static_cast<bool>(generator_);
}

std::optional<std::vector<Exchange>> Service::finish() {
  if (generator_.wait() != 0) return std::nullopt;
  if (redis_ ? !redis_->running() : builtin_.wait() != 0) return std::nullopt;
  std::vector<Exchange> counted;
  for (std::size_t i = 0; i < schedule_.size(); ++i)
    if (schedule_[i] >= load_.warm_up) counted.push_back(exchanges_.all()[i]);
  return counted;
}

}  // namespace evenkeel::demo
