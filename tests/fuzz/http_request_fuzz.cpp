#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>

#include "agent/http/http_server.h"
#include "cgroup/base/result.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

/// The server at a unix socket, and one client at a time; both in one thread, so each input does the same in
/// each run.
class Served {
 public:
  Served()
      : path_("/tmp/evenkeel-fuzz-" + std::to_string(::getpid())),
        opened_(http::HttpServer::open({.socket = path_},
                                       [](const http::HttpRequest& request) {
                                         std::string body = request.path + '\n';
                                         for (const auto& [key, value] : request.query)
                                           body.append(key).append("=").append(value) += '\n';
                                         return http::HttpAnswer{200, "text/plain", body};
                                       },
                                       {.complain = [](std::string_view) {}})) {
    promise(opened_.server != nullptr);
  }

  /// Until there is nothing more to read, or the answer has this end, which has a second to come.
  std::string answer_to(std::string_view request, std::string_view end = {}) {
    const Fd client = connected();
    promise(::send(client.get(), request.data(), request.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(request.size()));
    std::string answer;
    const int patience = end.empty() ? 1 : 1000;
    for (int idle = 0; idle < patience && (end.empty() || !answer.ends_with(end));) {
      settle(end.empty() ? 0 : 1);
      idle = read_on(client.get(), answer) ? 0 : idle + 1;
    }
    return answer;
  }

 private:
  [[nodiscard]] Fd connected() const {
    sockaddr_un at{.sun_family = AF_UNIX, .sun_path = {}};
    path_.copy(at.sun_path, sizeof at.sun_path - 1);
    Fd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    promise(::connect(client.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
    return client;
  }
  /// False: there is nothing to read now.
  static bool read_on(int client, std::string& answer) {
    std::array<char, 4096> piece{};
    const ssize_t got = ::recv(client, piece.data(), piece.size(), MSG_DONTWAIT);
    if (got > 0) answer.append(piece.data(), static_cast<std::size_t>(got));
    return got > 0;
  }
  /// Until the server has had nothing to do for that long.
  void settle(int milliseconds) {
    constexpr int kMost = 10'000;
    pollfd ready{.fd = opened_.server->fd(), .events = POLLIN, .revents = 0};
    for (int rounds = 0; ::poll(&ready, 1, milliseconds) > 0; ++rounds) {
      promise(rounds < kMost);
      opened_.server->process_events();
    }
  }

  std::string path_;
  http::HttpServer::Opened opened_;
};

bool is_name(std::string_view host, std::string_view name) {
  return host.size() == name.size() && ::strncasecmp(host.data(), name.data(), name.size()) == 0;
}

/// A name that is not this node's is never taken for it; a name begins with a letter.
void has_our_host(std::string_view host) {
  if (!http::host_is_ours(host, {"node-1"})) return;
  if (host.front() == '[' || (host.front() >= '0' && host.front() <= '9')) return;
  auto name = host.substr(0, host.find(':'));
  if (name.ends_with('.')) name.remove_suffix(1);
  promise(is_name(name, "localhost") || is_name(name, "node-1"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Served served;
  const std::string_view text = fuzz::text_of(data, size);
  const auto answer = served.answer_to(text);
  promise(answer.empty() || answer.starts_with("HTTP/1."));
  constexpr std::string_view kNext = "\r\n\r\n/next\na= b\n";
  const auto next = served.answer_to("GET /next?a=%20b HTTP/1.1\r\nHost: localhost\r\n\r\n", kNext);
  promise(next.starts_with("HTTP/1.1 200 OK\r\n") && next.ends_with(kNext));
  has_our_host(text);
  return 0;
}
