#include "agent/http/url.h"

#include <algorithm>

#include "cgroup/base/text.h"

namespace evenkeel::http {
namespace {

bool plain(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '.' || c == '_' || c == ':';
  });
}

/// False: not a port number.
bool read_port(std::string_view text, Url& url) {
  if (text.empty()) return true;
  if (text.front() != ':') return false;
  const auto port = whole_number(text.substr(1));
  if (!port || *port < 1 || *port > 65535) return false;
  url.port = static_cast<int>(*port);
  return true;
}

}  // namespace

std::optional<Url> parse_url(std::string_view text) {
  Url url;
  url.secure = text.starts_with("https://");
  if (!url.secure && !text.starts_with("http://")) return std::nullopt;
  url.port = url.secure ? 443 : 80;
  text.remove_prefix(url.secure ? 8 : 7);
  const auto path = std::min(text.find_first_of("/?#"), text.size());
  url.path = text.substr(path);
  text = text.substr(0, path);
  const bool brackets = text.starts_with('[');
  const auto end = brackets ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos) return std::nullopt;
  url.host = brackets ? text.substr(1, end - 1) : text.substr(0, end);
  if (!plain(url.host) || !read_port(text.substr(brackets ? end + 1 : end), url)) return std::nullopt;
  const bool printable =
      std::all_of(url.path.begin(), url.path.end(), [](char c) { return c > ' ' && c < 127; });
  return printable ? std::optional(url) : std::nullopt;
}

std::string Url::place() const {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
}

std::string Url::text() const { return (secure ? "https://" : "http://") + place() + path; }

}  // namespace evenkeel::http
