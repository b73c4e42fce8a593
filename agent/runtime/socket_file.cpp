#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>

#include "agent/runtime/files.h"

namespace evenkeel::runtime {

int bind_with_mode(int fd, const sockaddr* at, unsigned size, unsigned mode) {
  if (::fchmod(fd, mode) != 0) return -1;
  const mode_t before = ::umask(0);
  const int bound = ::bind(fd, at, size);
  const int code = errno;
  ::umask(before);
  errno = code;
  return bound;
}

}  // namespace evenkeel::runtime
