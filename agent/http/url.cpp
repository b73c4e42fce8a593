#include "agent/http/url.h"

#include <algorithm>
#include <utility>

#include "agent/http/transfers.h"
#include "cgroup/base/text.h"

namespace evenkeel::http {
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

}  // namespace evenkeel::http
