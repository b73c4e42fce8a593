// Result and Error, errors as values: errno, what was tried, on which file; 16 bytes of payload, no heap. Fd,
// the owner of a file descriptor. The only file that names tl::expected.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <tl/expected.hpp>
#include <utility>

namespace evenkeel {

enum class Op : std::uint8_t { open, read, write, parse, watch, list, map, other };

struct Error {
  int code = 0;  ///< errno
  Op op = Op::other;
  const char* file = "";  ///< a string literal (a knob's file name); the code that logs adds the path
};

const char* name(Op op);
/// "EINVAL" for EINVAL; an unknown code gives "E?".
const char* errno_name(int code);

/// tl::expected, but a discarded result is a compile error.
template <class T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

inline tl::unexpected<Error> fail(int code, Op op, const char* file = "") {
  return tl::unexpected<Error>(Error{code, op, file});
}
/// The cgroup or the file was removed meanwhile: expected, not a failure.
inline bool vanished(const Error& error) { return error.code == ENOENT || error.code == ENODEV; }

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace evenkeel
