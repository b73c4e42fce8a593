// http:// and https:// URLs: their parts, and texts that become a part of one.
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
/// An address is written in its usual form: "http://127.1" names the host "127.0.0.1". Absent for any other
/// text; a user name before the host, an encoded host ('%') and an IPv6 zone are not supported.
std::optional<Url> parse_url(std::string_view text);
/// A text for use inside of a query: all but letters, digits, '-', '.', '_' and '~' is percent-encoded.
std::string escaped(const std::string& text);

}  // namespace evenkeel::http
