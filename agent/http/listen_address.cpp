// The addresses on which the server listens, and the names by which clients may call it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/un.h>

#include <algorithm>

#include "agent/http/http_client.h"
#include "agent/http/http_server.h"
#include "cgroup/base/text.h"

namespace evenkeel::http {

namespace {

constexpr std::string_view kUnix = "unix:";

bool is_address(const std::string& host) {
  in6_addr scratch{};
  return ::inet_pton(AF_INET, host.c_str(), &scratch) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &scratch) == 1;
}

bool same_name(const std::string& a, const std::string& b) { return ::strcasecmp(a.c_str(), b.c_str()) == 0; }

}  // namespace

bool ListenAddress::on_host() const { return !socket.empty() || host == "::1" || host.starts_with("127."); }

std::string ListenAddress::text() const {
  return socket.empty() ? Url{.host = host, .port = port, .path = {}}.place() : std::string(kUnix) + socket;
}

ParsedListen parse_listen(const std::string& text) {
  const auto bad = [&] {
    return ParsedListen{
        {}, "found '" + text + "'; legal: ADDRESS:PORT, for example 127.0.0.1:9319, or unix:/PATH"};
  };
  if (text.starts_with(kUnix)) {
    const std::string path = text.substr(kUnix.size());
    return path.starts_with('/') && path.size() < sizeof(sockaddr_un::sun_path)
               ? ParsedListen{{.socket = path}, {}}
               : bad();
  }
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return bad();
  const auto port = whole_number(std::string_view(text).substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return bad();
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  if (host.empty()) host = "0.0.0.0";
  if (!is_address(host)) return bad();
  return {{.host = host, .port = static_cast<int>(*port)}, {}};
}

bool host_is_ours(std::string_view host, const std::vector<std::string>& names) {
  auto url = parse_url("http://" + std::string(host));
  if (!url || !url->path.empty()) return false;
  std::string& name = url->host;
  if (name.ends_with('.')) name.pop_back();
  return is_address(name) || same_name(name, "localhost") ||
         std::ranges::any_of(names, [&](const std::string& ours) { return same_name(name, ours); });
}

}  // namespace evenkeel::http
