// Parses http:// and https:// URLs into scheme, host, port and path.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::http {

struct Url {
  bool secure = false;
  std::string host{};                       ///< an IPv6 address without brackets
  int port = 0;                             ///< the scheme's default if not given
  std::string path{};                       ///< with its slash and the query; may be empty
  [[nodiscard]] std::string place() const;  ///< "host:port", "[::1]:80"
  [[nodiscard]] std::string text() const;
};
/// Absent for any other text. A user name before the host is not supported.
std::optional<Url> parse_url(std::string_view text);

}  // namespace evenkeel::http
