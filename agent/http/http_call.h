// One HTTP request and its answer, as values.
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

/// Whom to trust and who we are, all as PEM texts. Kept connections are shared by requests with equal texts.
struct HttpTls {
  std::string authorities{};         ///< who may vouch for the server; empty: nobody, so nothing is reached
  bool unverified = false;           ///< whoever answers is believed; only ever because a person said so
  std::string certificate{}, key{};  ///< what we show; empty: nothing
  std::string server_name{};         ///< the name in the server's certificate; empty: the URL's host
};

struct HttpCall {
  std::string method = "GET";
  std::string url{};
  std::vector<std::string> headers{};  ///< "Accept: application/json"
  std::string body{};
  std::shared_ptr<const HttpTls> tls{};  ///< null: only http:// can be reached
  Duration connect_timeout{std::chrono::seconds(5)};
  Duration total_timeout{std::chrono::seconds(10)};  ///< zero: no end, for a watch
  /// Given up when next to nothing (less than a byte a second) has arrived for so long; whole seconds; zero:
  /// never. Notices a half-open connection.
  Duration idle_timeout{};
  std::size_t longest_body = std::size_t{16} << 20;  ///< of a line, where lines are asked for
  /// Set: an answer with a 2xx status is handed over line by line, as it comes, and not kept.
  std::function<void(std::string_view)> line{};
  /// With `line`: such an answer has begun, which a watch without news would not tell otherwise.
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
  other
};

struct HttpReply {
  int status = 0;                           ///< 0: no answer
  HttpFailure failure = HttpFailure::none;  ///< with a status too: the answer began and did not end well
  std::string error{};  ///< without figures that change, so that the same trouble has the same text
  std::string content_type{};
  std::string body{};
  std::optional<Duration> retry_after{};  ///< as the server asked for
  std::uint64_t bytes_in = 0, bytes_out = 0;
  Duration took{};  ///< from the start to the end of the answer, or to giving up
  [[nodiscard]] bool ok() const { return failure == HttpFailure::none && status >= 200 && status < 300; }
};

}  // namespace evenkeel::http
