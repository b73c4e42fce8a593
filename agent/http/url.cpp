#include "agent/http/url.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cgroup/base/text.h"

namespace evenkeel::http {
namespace {

/// Takes over a text of libcurl's; empty: there is none.
std::string taken(char* text) {
  std::string copy(text != nullptr ? text : "");
  curl_free(text);
  return copy;
}

std::string part(CURLU* url, CURLUPart which) {
  char* text = nullptr;
  curl_url_get(url, which, &text, CURLU_DEFAULT_PORT);
  return taken(text);
}

/// A URL's host and port as libcurl connects to them, so that no other reading of the URL is checked.
struct Place {
  std::string host{};  ///< an address in its usual form ("127.1" is "127.0.0.1"), IPv6 in brackets
  std::string port{};  ///< the scheme's default if not given
};
/// Absent: no URL, or one with a user name.
std::optional<Place> place_of(const std::string& url) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parts(curl_url(), &curl_url_cleanup);
  if (curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), CURLU_DISALLOW_USER) != CURLUE_OK)
    return std::nullopt;
  return Place{part(parts.get(), CURLUPART_HOST), part(parts.get(), CURLUPART_PORT)};
}

}  // namespace

std::optional<Url> parse_url(std::string_view text) {
  const bool secure = text.starts_with("https://");
  if (!secure && !text.starts_with("http://")) return std::nullopt;
  const std::size_t begin = secure ? 8 : 7, path = std::min(text.find_first_of("/?#", begin), text.size());
  // libcurl would guess what is meant: it skips slashes, decodes names, leaves out zones and ends at a zero.
  if (path == begin || text.find('%') < path || text.find('\0') < text.size()) return std::nullopt;
  auto place = place_of(std::string(text));
  const auto port = place ? whole_number(place->port) : std::nullopt;
  if (port.value_or(0) == 0) return std::nullopt;
  if (place->host.starts_with('[')) place->host = place->host.substr(1, place->host.size() - 2);
  return Url{secure, std::move(place->host), static_cast<int>(*port), std::string(text.substr(path))};
}

std::string Url::place() const {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
}

std::string Url::text() const { return (secure ? "https://" : "http://") + place() + path; }

std::string escaped(const std::string& text) {
  return taken(curl_easy_escape(nullptr, text.c_str(), static_cast<int>(text.size())));
}

}  // namespace evenkeel::http
