// A client that sends what it is told, also half a request, and may leave without a word. Does not know HTTP.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "cgroup/base/result.h"

namespace evenkeel::test {

class RawClient {
 public:
  /// To 127.0.0.1.
  explicit RawClient(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] bool send(std::string_view bytes) const {
    return ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  /// What arrives until the server closes, or until `patience` is over.
  [[nodiscard]] std::string read(std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    std::string got;
    const auto end = std::chrono::steady_clock::now() + patience;
    std::array<char, 4096> chunk{};
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      pollfd ready{fd_.get(), POLLIN, 0};
      if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) != 1) return got;
      const auto size = ::recv(fd_.get(), chunk.data(), chunk.size(), 0);
      closed_ = size <= 0;
      if (closed_) return got;
      got.append(chunk.data(), static_cast<std::size_t>(size));
    }
  }
  /// After read(): the server has closed the connection.
  [[nodiscard]] bool closed() const { return closed_; }
  /// Leaves with a reset instead of an orderly end.
  void abort() {
    const linger at_once{1, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    fd_ = Fd();
  }

 private:
  Fd fd_;
  bool connected_ = false, closed_ = false;
};

}  // namespace evenkeel::test
