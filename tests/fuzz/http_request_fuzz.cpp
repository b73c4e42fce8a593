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
                                         promise(request.caller >= http::Caller::socket);
                                         std::string body = request.path + '\n';
                                         for (const auto& [key, value] : request.query)
                                           body.append(key).append("=").append(value) += '\n';
                                         return http::HttpAnswer{200, "text/plain", body};
                                       },
                                       {.complain = [](std::string_view) {}})) {
    promise(opened_.server != nullptr);
  }

  std::string answer_to(std::string_view request) {
    std::string answer;
    {
      const Fd client = connected();
      promise(::send(client.get(), request.data(), request.size(), MSG_NOSIGNAL) ==
              static_cast<ssize_t>(request.size()));
      std::array<char, 4096> piece{};
      for (bool more = true; more;) {
        settle();
        more = false;
        for (ssize_t got = 0; (got = ::recv(client.get(), piece.data(), piece.size(), MSG_DONTWAIT)) > 0;
             more = true)
          answer.append(piece.data(), static_cast<std::size_t>(got));
      }
    }
    settle();
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
  /// Until the server has nothing left to do but wait.
  void settle() {
    constexpr int kMost = 10'000;
    pollfd ready{.fd = opened_.server->fd(), .events = POLLIN, .revents = 0};
    int rounds = 0;
    for (; ::poll(&ready, 1, 0) > 0; ++rounds) {
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
  const auto next = served.answer_to("GET /next?a=%20b HTTP/1.1\r\nHost: localhost\r\n\r\n");
  promise(next.starts_with("HTTP/1.1 200 OK\r\n") && next.ends_with("\r\n\r\n/next\na= b\n"));
  has_our_host(text);
  return 0;
}
