#include "agent/http/listening_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "agent/runtime/files.h"
#include "cgroup/base/text.h"

namespace evenkeel::http {

namespace {

struct Bound {
  Fd fd{};
  std::string error{};
  std::string made{};  ///< the socket's directory, if it was not there
};

union SocketAddress {
  sockaddr_un path;  ///< the largest is the first: {} clears all of it
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

SocketAddress port_address(const ListenAddress& address) {
  SocketAddress out{};
  if (::inet_pton(AF_INET, address.host.c_str(), &out.v4.sin_addr) == 1) {
    out.v4.sin_family = AF_INET;
    out.v4.sin_port = htons(static_cast<std::uint16_t>(address.port));
  } else {
    ::inet_pton(AF_INET6, address.host.c_str(), &out.v6.sin6_addr);
    out.v6.sin6_family = AF_INET6;
    out.v6.sin6_port = htons(static_cast<std::uint16_t>(address.port));
  }
  return out;
}

SocketAddress path_address(const std::string& path) {
  SocketAddress out{};
  out.path.sun_family = AF_UNIX;
  path.copy(out.path.sun_path, sizeof out.path.sun_path - 1);
  return out;
}

Fd new_socket(int family) { return Fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

Bound failure() { return {.error = std::strerror(errno)}; }

Bound open_port(const ListenAddress& address) {
  const SocketAddress at = port_address(address);
  const bool v6 = at.any.sa_family == AF_INET6;
  const int yes = 1;
  Fd fd = new_socket(at.any.sa_family);
  if (!fd) return failure();
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (v6) ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  if (::bind(fd.get(), &at.any, v6 ? sizeof at.v6 : sizeof at.v4) != 0) return failure();
  return {.fd = std::move(fd)};
}

/// Of a line "NAME:PASSWORD:GID:MEMBERS". Not by getgrnam(3), which loads libraries at run time: the image's
/// program is static. Absent: there is no such group.
std::optional<gid_t> group_id(const std::string& name) {
  const std::string text = "\n" + runtime::read_text_file("/etc/group").value_or("");
  const auto line = text.find("\n" + name + ":");
  if (line == std::string::npos) return std::nullopt;
  const auto password = line + name.size() + 2;
  const auto number = text.find(':', password) + 1;
  const auto id = whole_number(std::string_view(text).substr(number, text.find(':', number) - number));
  return id ? std::optional(static_cast<gid_t>(*id)) : std::nullopt;
}

/// Removes the socket of a process that has ended. Not empty: what is there is in use, or is no socket.
std::string clear(const std::string& path, const SocketAddress& at) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return {};
  if (!S_ISSOCK(there.st_mode)) return "a file that is not a socket is there";
  const Fd probe = new_socket(AF_UNIX);
  if (!probe) return std::strerror(errno);
  if (::connect(probe.get(), &at.any, sizeof at.path) == 0 || errno != ECONNREFUSED)
    return "another process serves it";
  return ::unlink(path.c_str()) == 0 ? std::string() : std::strerror(errno);
}

/// Only the last directory, as the service manager does for the installed unit. Empty: it was there.
std::string made_directory_of(const std::string& path) {
  std::string directory = path.substr(0, path.rfind('/'));
  return ::mkdir(directory.c_str(), 0755) == 0 ? directory : std::string();
}

Bound open_path(const std::string& path) {
  const SocketAddress at = path_address(path);
  if (auto in_the_way = clear(path, at); !in_the_way.empty()) return {.error = std::move(in_the_way)};
  std::string made = made_directory_of(path);
  Fd fd = new_socket(AF_UNIX);
  if (!fd || runtime::bind_with_mode(fd.get(), &at.any, sizeof at.path, 0660) != 0) {
    Bound failed = failure();
    if (!made.empty()) ::rmdir(made.c_str());
    return failed;
  }
  // Without the right to give it away it stays root's. A link in its place is not followed.
  const auto group = group_id("evenkeel");
  if (group && ::fchownat(AT_FDCWD, path.c_str(), -1U, *group, AT_SYMLINK_NOFOLLOW) != 0) errno = 0;
  return {.fd = std::move(fd), .made = std::move(made)};
}

}  // namespace

ListeningSocket::Opened ListeningSocket::open(const ListenAddress& address) {
  auto bound = address.socket.empty() ? open_port(address) : open_path(address.socket);
  if (!bound.fd) return {{}, std::move(bound.error)};
  ListeningSocket opened(std::move(bound.fd), address.socket, std::move(bound.made));
  // Its connections inherit it. Otherwise the kernel keeps megabytes for each that does not read, and this
  // process is charged for them.
  const int most_unsent = 128 << 10;
  ::setsockopt(opened.fd(), SOL_SOCKET, SO_SNDBUF, &most_unsent, sizeof most_unsent);
  if (::listen(opened.fd(), SOMAXCONN) != 0) return {{}, std::strerror(errno)};
  return {std::move(opened), {}};
}

ListeningSocket::~ListeningSocket() {
  if (!fd_ || path_.empty()) return;
  ::unlink(path_.c_str());
  if (!made_directory_.empty()) ::rmdir(made_directory_.c_str());
}

int ListeningSocket::port() const {
  SocketAddress bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(fd(), &bound.any, &size) != 0) return 0;
  if (bound.any.sa_family == AF_INET) return ntohs(bound.v4.sin_port);
  return bound.any.sa_family == AF_INET6 ? ntohs(bound.v6.sin6_port) : 0;
}

Caller caller_at(int fd) {
  SocketAddress peer{};
  socklen_t size = sizeof peer;
  if (::getpeername(fd, &peer.any, &size) != 0) return Caller::network;
  if (peer.any.sa_family == AF_INET)
    return (ntohl(peer.v4.sin_addr.s_addr) >> 24) == 127 ? Caller::loopback : Caller::network;
  if (peer.any.sa_family == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(&peer.v6.sin6_addr) ? Caller::loopback : Caller::network;
  ucred process{};
  size = sizeof process;
  const bool known = ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &process, &size) == 0;
  return known && process.uid == 0 ? Caller::root : Caller::socket;
}

}  // namespace evenkeel::http
