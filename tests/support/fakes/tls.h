// TLS for tests: generated certificates, and a byte stream over a socket with or without TLS. The only user
// of GnuTLS.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/result.h"

namespace evenkeel::test {

/// As PEM.
struct Certificate {
  std::string certificate{}, key{};
};

/// A certificate authority.
class Authority {
 public:
  explicit Authority(const std::string& name);
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;
  [[nodiscard]] std::string certificate() const;
  /// For these host names and addresses; the first is also the subject's common name.
  [[nodiscard]] Certificate issue(const std::vector<std::string>& names) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Blocking; shutdown() of the socket from another thread ends every wait.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Zero or less: end of stream.
  virtual long read(char* into, std::size_t size) = 0;
  virtual bool write(std::string_view bytes) = 0;
  /// Ends our side of the stream in order.
  virtual void finish() = 0;
  /// The common name of the peer's certificate; empty without one.
  [[nodiscard]] virtual std::string peer() const = 0;
  [[nodiscard]] virtual int fd() const = 0;
};
std::unique_ptr<Stream> plain_stream(Fd socket);
/// Null when the handshake fails. `client_authorities` empty: no client certificate is requested.
std::unique_ptr<Stream> serve_tls(Fd socket, const Certificate& us, const std::string& client_authorities);
/// As a client that accepts any certificate.
std::unique_ptr<Stream> connect_tls(Fd socket);

}  // namespace evenkeel::test
