#include "agent/figures/local_sources.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "agent/runtime/files.h"

namespace evenkeel::figures {
namespace {

constexpr Duration kRetry = std::chrono::seconds(10);

Look of(const ParsedFigure& parsed) { return {parsed.value, parsed.problem}; }

/// Who may send is decided by the directory, as with any socket that several users share.
constexpr mode_t kForAll = 0666;

/// Whether a process has the socket open, of whatever type: only then is a connection not refused
/// (unix(7)).
bool is_in_use(const sockaddr_un& address) {
  const Fd probe(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const auto* const to = reinterpret_cast<const sockaddr*>(&address);
  return !probe || ::connect(probe.get(), to, sizeof address) == 0 || errno != ECONNREFUSED;
}

/// The file that the path leads to now; zero: there is none.
ino_t inode_of(const std::string& path) {
  struct stat is {};
  return ::lstat(path.c_str(), &is) == 0 ? is.st_ino : 0;
}

}  // namespace

Look FigureFile::look() {
  // Not to wait for a writer if it is a FIFO.
  const Fd file(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat is {};
  if (!file || ::fstat(file.get(), &is) != 0) return {{}, "the file cannot be opened"};
  if (!S_ISREG(is.st_mode)) return {{}, "it is not a regular file"};
  const Stamp stamp{is.st_dev, is.st_ino, static_cast<std::uint64_t>(is.st_size),
                    is.st_mtim.tv_sec * 1'000'000'000 + is.st_mtim.tv_nsec};
  if (seen_ == stamp) return {};
  const bool first = !std::exchange(seen_, stamp);
  if (first) return {};
  std::array<char, kLongestFigure + 1> text{};
  const auto got = ::read(file.get(), text.data(), text.size());
  if (got < 0) return {{}, "the file cannot be read"};
  return of(parse_figure({text.data(), static_cast<std::size_t>(got)}));
}

FigureSocket::~FigureSocket() {
  if (socket_ && inode_of(path_) == inode_) ::unlink(path_.c_str());
}

std::string FigureSocket::open() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path) return "the path is too long for a socket";
  std::memcpy(address.sun_path, path_.data(), path_.size());
  struct stat is {};
  if (::lstat(path_.c_str(), &is) == 0) {
    if (!S_ISSOCK(is.st_mode)) return "the path exists and is not a socket";
    if (is_in_use(address)) return "the path is the socket of another process";
    ::unlink(path_.c_str());  // of an agent that was killed
  }
  Fd made(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const auto* const to = reinterpret_cast<const sockaddr*>(&address);
  if (!made || runtime::bind_with_mode(made.get(), to, sizeof address, kForAll) != 0)
    return std::string("the socket cannot be created: ") + errno_name(errno);
  inode_ = inode_of(path_);
  socket_ = std::move(made);
  return {};
}

Look FigureSocket::look(MonoTime now) {
  if (!socket_) {
    if (!refusal_.empty() && now - tried_ < kRetry) return {{}, refusal_};
    tried_ = now;
    refusal_ = open();
    if (!refusal_.empty()) return {{}, refusal_};
  }
  Look found;
  std::array<char, kLongestFigure + 1> text{};
  for (int i = 0; i < kMostDatagrams; ++i) {
    const auto got = ::recv(socket_.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (got < 0) break;
    const std::string_view all(text.data(), std::min(static_cast<std::size_t>(got), text.size()));
    const Look one = of(parse_figure(all));
    if (one.value) found.value = one.value;
    found.problem = one.problem;
  }
  return found;
}

}  // namespace evenkeel::figures
