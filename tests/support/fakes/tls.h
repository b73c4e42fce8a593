// TLS for tests: certificates made on the spot, and a stream of bytes over a socket, with TLS or without. The
// door to GnuTLS.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/fd.h"

namespace evenkeel::test {

/// As PEM.
struct Certificate {
  std::string certificate{}, key{};
};

/// Somebody who vouches for others.
class Authority {
 public:
  explicit Authority(const std::string& name);
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;
  [[nodiscard]] std::string certificate() const;
  /// For these host names and addresses; the first is the subject's common name too.
  [[nodiscard]] Certificate issue(const std::vector<std::string>& names) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Blocking; shutdown() of the socket from another thread ends every wait.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Zero or less: the end.
  virtual long read(char* into, std::size_t size) = 0;
  virtual bool write(std::string_view bytes) = 0;
  /// An orderly end of what we send.
  virtual void finish() = 0;
  /// The common name of the other side's certificate; empty without one.
  [[nodiscard]] virtual std::string peer() const = 0;
  [[nodiscard]] virtual int fd() const = 0;
};
std::unique_ptr<Stream> plain_stream(Fd socket);
/// Null when the other side does not agree. `client_authorities` empty: no certificate is asked for.
std::unique_ptr<Stream> serve_tls(Fd socket, const Certificate& us, const std::string& client_authorities);
/// As a client that believes whoever answers.
std::unique_ptr<Stream> connect_tls(Fd socket);

}  // namespace evenkeel::test
