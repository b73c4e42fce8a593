// What stands before the path of an http:// or https:// URL.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::http {

struct Url {
  bool secure = false;
  std::string host{};                       ///< an IPv6 address without its brackets
  int port = 0;                             ///< the scheme's own when the text does not say
  std::string path{};                       ///< with its slash and whatever follows; may be empty
  [[nodiscard]] std::string place() const;  ///< "host:port", "[::1]:80"
  [[nodiscard]] std::string text() const;
};
/// Absent: anything else. A user name in front of the host is not understood.
std::optional<Url> parse_url(std::string_view text);

}  // namespace evenkeel::http
