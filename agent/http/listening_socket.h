// The socket on which the server listens: on a port or at a path.
#pragma once

#include <optional>
#include <string>

#include "agent/http/http_server.h"
#include "cgroup/base/result.h"

namespace evenkeel::http {

class ListeningSocket {
 public:
  struct Opened;
  static Opened open(const ListenAddress& address);
  ListeningSocket(ListeningSocket&& other) noexcept = default;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;
  ~ListeningSocket();

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// 0: a unix socket.
  [[nodiscard]] int port() const;

 private:
  ListeningSocket(Fd fd, std::string path, std::string made_directory)
      : fd_(std::move(fd)), path_(std::move(path)), made_directory_(std::move(made_directory)) {}
  Fd fd_;
  std::string path_;            ///< of a unix socket, removed at the end
  std::string made_directory_;  ///< for it, removed at the end; empty: it was there
};

struct ListeningSocket::Opened {
  std::optional<ListeningSocket> socket{};
  std::string error{};  ///< why there is none
};

/// Who is at the other end of an accepted connection.
Caller caller_at(int fd);

}  // namespace evenkeel::http
