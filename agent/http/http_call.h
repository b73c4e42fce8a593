// One HTTP request and its reply, as values.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "qos/model/units.h"

namespace evenkeel::http {

/// Trusted CAs and the client's certificate, all as PEM texts. Requests with equal texts share kept
/// connections.
struct HttpTls {
  std::string
      authorities{};  ///< CAs that may sign the server's certificate; empty: none, so no server is accepted
  bool unverified = false;           ///< no server verification; only on an operator's explicit request
  std::string certificate{}, key{};  ///< the client certificate; empty: none
  std::string server_name{};         ///< the name in the server's certificate; empty: the URL's host
};

struct HttpCall {
  std::string method = "GET";
  std::string url{};
  std::vector<std::string> headers{};  ///< "Accept: application/json"
  std::string body{};
  std::string socket{};  ///< path of a unix socket to which the URL's request goes; empty: to the URL's host
  std::shared_ptr<const HttpTls> tls{};  ///< null: only http:// can be reached
  Duration connect_timeout{std::chrono::seconds(5)};
  Duration total_timeout{std::chrono::seconds(10)};  ///< zero: unlimited
  std::size_t longest_body = std::size_t{16} << 20;  ///< of a line when `line` is set
  /// Set: the body of a 2xx answer is passed on in pieces as it arrives, and not kept. False: the rest is not
  /// wanted, and the request ends. That of another answer is kept, up to 64 KiB.
  std::function<bool(std::string_view)> piece{};
  /// Set: the body of a 2xx answer is passed on line by line as it arrives, and not kept.
  std::function<void(std::string_view)> line{};
  /// With `piece` or `line`: called when such an answer has begun, which a watch without events would not
  /// show otherwise.
  std::function<void()> begun{};
};

using HttpId = std::uint64_t;

enum class HttpFailure : std::uint8_t {
  none,
  unreachable,
  untrusted,
  timed_out,
  connection_lost,
  too_large,
  unwanted,  ///< HttpCall::piece said so
  other
};

struct HttpReply {
  int status = 0;                           ///< 0: no answer
  HttpFailure failure = HttpFailure::none;  ///< with a status too: the answer broke off
  std::string error{};  ///< without changing figures, so that the same failure has the same text
  std::string content_type{};
  std::string body{};
  std::optional<Duration> retry_after{};  ///< as requested by the server
  std::uint64_t bytes_in = 0, bytes_out = 0;
  Duration took{};  ///< until the end of the answer, or the failure
  [[nodiscard]] bool ok() const { return failure == HttpFailure::none && status >= 200 && status < 300; }
};

}  // namespace evenkeel::http
