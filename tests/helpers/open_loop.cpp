// An open-loop load generator for real servers over TCP: requests leave at times that are fixed in advance,
// whether earlier ones were answered or not. A latency counts from the intended time until the kernel has the
// answer (its own time stamp: how soon this process reads it does not count). Reports its own lateness, so
// that a round in which the generator itself waited can be dropped, and the latencies from the actual sending
// ("sent_"), which that lateness is no part of.
//
//   open_loop PROTOCOL PORT PER_SECOND CONNECTIONS WARM_UP_SECONDS SECONDS SEED [PATH]
//
// PROTOCOL is redis, memcached or http (GET PATH, with Accept-Encoding: gzip). Prints one line of JSON;
// exit status 1 if a connection failed or an answer could not be read.
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::int64_t in_ns(const timespec& at) { return std::int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec; }

std::int64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec at{};
  ::clock_gettime(clock, &at);
  return in_ns(at);
}

/// When the kernel received the newest data of this message, on the monotonic clock; now, if it does not say.
std::int64_t received_ns(msghdr& message) {
  const std::int64_t now = now_ns();
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_TIMESTAMPING) continue;
    timespec software{};  // the first of three in scm_timestamping
    std::memcpy(&software, CMSG_DATA(each), sizeof software);
    if (in_ns(software) != 0) return std::min(now, now - (now_ns(CLOCK_REALTIME) - in_ns(software)));
  }
  return now;
}

/// The length of the first complete answer in `text`; 0: not complete yet; -1: not an answer.
using Framing = std::ptrdiff_t (*)(std::string_view text);

std::ptrdiff_t line_end(std::string_view text, std::size_t from) {
  const auto end = text.find("\r\n", from);
  return end == std::string_view::npos ? 0 : static_cast<std::ptrdiff_t>(end + 2);
}

std::ptrdiff_t redis_answer(std::string_view text) {
  const auto end = line_end(text, 0);
  if (end == 0 || text[0] == '+') return end;
  if (text[0] != '$') return -1;
  const auto length = std::atol(std::string(text.substr(1, 20)).c_str());
  if (length < 0) return end;
  const auto whole = end + length + 2;
  return static_cast<std::size_t>(whole) <= text.size() ? whole : 0;
}

std::ptrdiff_t memcached_answer(std::string_view text) {
  if (text.starts_with("STORED\r\n")) return 8;
  if (text.starts_with("ERROR") || text.starts_with("SERVER_ERROR")) return -1;
  const auto end = text.find("END\r\n");
  return end == std::string_view::npos ? 0 : static_cast<std::ptrdiff_t>(end + 5);
}

std::ptrdiff_t http_answer(std::string_view text) {
  const auto head = text.find("\r\n\r\n");
  if (head == std::string_view::npos) return 0;
  if (!text.starts_with("HTTP/1.1 200")) return -1;
  const auto body = head + 4;
  const auto header = text.substr(0, body);
  if (const auto at = header.find("Content-Length: "); at != std::string_view::npos) {
    const auto whole = body + std::strtoul(std::string(header.substr(at + 16, 20)).c_str(), nullptr, 10);
    return whole <= text.size() ? static_cast<std::ptrdiff_t>(whole) : 0;
  }
  if (header.find("Transfer-Encoding: chunked") == std::string_view::npos) return -1;
  const auto end = text.find("\r\n0\r\n\r\n", head);
  return end == std::string_view::npos ? 0 : static_cast<std::ptrdiff_t>(end + 7);
}

struct Protocol {
  Framing framing = nullptr;
  std::string read{}, write{};  ///< one request in ten writes, where there is a write
};

Protocol protocol_of(const std::string& name, const std::string& path) {
  const std::string value(100, 'v');
  if (name == "redis")
    return {redis_answer, "*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n",
            "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$100\r\n" + value + "\r\n"};
  if (name == "memcached") return {memcached_answer, "get key\r\n", "set key 0 0 100\r\n" + value + "\r\n"};
  const std::string get = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n";
  return {http_answer, get, get};
}

struct Request {
  std::int64_t intended = 0, sent = 0;
  bool counts = false;
};
struct Connection {
  int fd = -1;
  std::string received{};
  std::deque<Request> waiting{};
};

int connect_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return -1;
  const int one = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  const int stamps = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  if (::setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof stamps) != 0)
    std::perror("open_loop: SO_TIMESTAMPING");
  return fd;
}

double quantile_us(std::vector<std::int64_t>& all, double q) {
  if (all.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(all.size())));
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(rank == 0 ? 0 : rank - 1);
  std::nth_element(all.begin(), at, all.end());
  return static_cast<double>(*at) / 1000;
}

class Generator {
 public:
  Generator(Protocol protocol, std::uint16_t port, int connections) : protocol_(std::move(protocol)) {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    all_.resize(static_cast<std::size_t>(connections));
    for (std::size_t i = 0; i < all_.size(); ++i) {
      all_[i].fd = connect_to(port);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      failed_ = failed_ || all_[i].fd < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, all_[i].fd, &event) != 0;
    }
    exchange_first();
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  ~Generator() {
    for (const auto& each : all_) ::close(each.fd);
    ::close(epoll_);
  }

  void run(double per_second, double warm_up, double seconds, unsigned seed) {
    std::mt19937_64 random(seed);
    std::exponential_distribution<double> gap(per_second);
    const std::int64_t start = now_ns() + 50'000'000;
    const auto moment = [start](double s) { return start + static_cast<std::int64_t>(s * 1e9); };
    double at = gap(random);
    std::size_t number = 0;
    while (at < warm_up + seconds && !failed_) {
      receive_until(moment(at));
      send(number++, moment(at), at >= warm_up);
      at += gap(random);
    }
    receive_until(std::max(moment(warm_up + seconds), now_ns()) + 2'000'000'000, true);
  }

  [[nodiscard]] bool failed() const { return failed_; }
  void print(double seconds) {
    for (const auto& each : all_)
      for (const auto& request : each.waiting) unanswered_ += request.counts ? 1 : 0;
    const auto answered = latencies_.size();
    std::printf(R"({"answered":%zu,"unanswered":%zu,"per_second":%.1f,)", answered, unanswered_,
                static_cast<double>(answered) / seconds);
    print_quantiles("", latencies_);
    print_quantiles("sent_", from_sending_);
    print_quantiles("late_", late_);
    std::printf("\"seconds\":%.1f}\n", seconds);
  }

 private:
  /// A first write on the first connection, so that reads find a value.
  void exchange_first() {
    if (failed_) return;
    send_text(all_[0], protocol_.write);
    all_[0].waiting.push_back({});
    receive_until(now_ns() + 2'000'000'000, true);
    failed_ = failed_ || !all_[0].waiting.empty();
  }
  void send_text(Connection& to, const std::string& text) {
    failed_ =
        failed_ || ::send(to.fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size());
  }
  void send(std::size_t number, std::int64_t intended, bool counts) {
    Connection& to = all_[number % all_.size()];
    const std::int64_t now = now_ns();
    if (counts) late_.push_back(std::max<std::int64_t>(0, now - intended));
    to.waiting.push_back({intended, now, counts});
    send_text(to, number % 10 == 0 ? protocol_.write : protocol_.read);
  }
  /// Takes answers until the time, or, at the end, until none is missing.
  void receive_until(std::int64_t until, bool or_all_answered = false) {
    for (;;) {
      const std::int64_t left = until - now_ns();
      if (failed_ || (or_all_answered && left <= 0)) return;
      const timespec wait{std::max<std::int64_t>(left, 0) / 1'000'000'000,
                          std::max<std::int64_t>(left, 0) % 1'000'000'000};
      epoll_event ready[64];
      const int count = ::epoll_pwait2(epoll_, ready, 64, &wait, nullptr);
      for (int i = 0; i < count; ++i) receive(all_[ready[i].data.u64]);
      if (left <= 0) return;
      if (or_all_answered && count >= 0 && none_waits()) return;
    }
  }
  [[nodiscard]] bool none_waits() const {
    return std::all_of(all_.begin(), all_.end(), [](const Connection& each) { return each.waiting.empty(); });
  }
  void receive(Connection& from) {
    char buffer[65536];
    alignas(cmsghdr) char control[256];
    iovec into{buffer, sizeof buffer};
    msghdr message{};
    message.msg_iov = &into;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t length = ::recvmsg(from.fd, &message, MSG_DONTWAIT);
    if (length <= 0) {
      failed_ = failed_ || length == 0 || (errno != EAGAIN && errno != EINTR);
      return;
    }
    const std::int64_t then = received_ns(message);
    from.received.append(buffer, static_cast<std::size_t>(length));
    std::size_t taken = 0;
    while (!from.waiting.empty()) {
      const auto whole = protocol_.framing(std::string_view(from.received).substr(taken));
      if (whole <= 0) {
        failed_ = failed_ || whole < 0;
        break;
      }
      taken += static_cast<std::size_t>(whole);
      answered(from.waiting.front(), then);
      from.waiting.pop_front();
    }
    from.received.erase(0, taken);
  }

  void answered(const Request& request, std::int64_t then) {
    if (!request.counts) return;
    latencies_.push_back(std::max<std::int64_t>(0, then - request.intended));
    from_sending_.push_back(std::max<std::int64_t>(0, then - request.sent));
  }
  static void print_quantiles(const char* prefix, std::vector<std::int64_t>& all) {
    std::printf(R"("%sp50_us":%.1f,"%sp99_us":%.1f,"%sp999_us":%.1f,)", prefix, quantile_us(all, 0.5), prefix,
                quantile_us(all, 0.99), prefix, quantile_us(all, 0.999));
  }

  Protocol protocol_;
  int epoll_ = -1;
  std::vector<Connection> all_{};
  std::vector<std::int64_t> latencies_{}, from_sending_{}, late_{};
  std::size_t unanswered_ = 0;
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 8) {
    std::fprintf(stderr,
                 "usage: open_loop PROTOCOL PORT PER_SECOND CONNECTIONS WARM_UP SECONDS SEED [PATH]\n");
    return 2;
  }
  // Above all that it measures: what it reports as late was late on the machine, not in its own queue.
  const sched_param first{.sched_priority = 50};
  if (::sched_setscheduler(0, SCHED_FIFO, &first) != 0) std::perror("open_loop: SCHED_FIFO");
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
  const double seconds = std::atof(argv[6]);
  Generator generator(protocol_of(argv[1], argc > 8 ? argv[8] : "/"),
                      static_cast<std::uint16_t>(std::atoi(argv[2])), std::atoi(argv[4]));
  if (!generator.failed())
    generator.run(std::atof(argv[3]), std::atof(argv[5]), seconds, static_cast<unsigned>(std::atoi(argv[7])));
  generator.print(seconds);
  return generator.failed() ? 1 : 0;
}
