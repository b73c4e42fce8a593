#include <algorithm>

#include "agent/http/http_client.h"
#include "agent/http/http_server.h"
#include "agent/kube/client/access.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

void is_read_as_written(std::string_view text, const http::Url& url) {
  promise(text.starts_with(url.secure ? "https://" : "http://"));
  promise(!url.host.empty() && url.host.find_first_of("/?#@%[] ") == std::string::npos);
  promise(url.port >= 1 && url.port <= 65535);
  promise(text.ends_with(url.path));
  promise(url.path.empty() || std::string_view("/?#").find(url.path.front()) != std::string_view::npos);
  const auto again = http::parse_url(url.text());
  promise(again && again->text() == url.text() && again->host == url.host);
}

int digit(char c) { return c <= '9' ? c - '0' : c - 'A' + 10; }

/// What a server reads in a query.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i] == '%' ? static_cast<char>(digit(text.at(i + 1)) * 16 + digit(text.at(i + 2))) : text[i];
    if (text[i] == '%') i += 2;
  }
  return out;
}

void comes_back_from_a_query(const std::string& text) {
  const std::string value = http::escaped(text);
  promise(unescaped(value) == text);
  const auto url = http::parse_url("http://h/p?k=" + value + "&l=");
  promise(url && url->host == "h" && url->path == "/p?k=" + value + "&l=");
  promise(value.find_first_of("&=#+ ") == std::string::npos);
}

/// The addresses that the kubelet puts into the environment of a pod.
void is_a_server_only(const std::string& host, const std::string& port) {
  const auto found = kube::in_cluster_access(
      [&](const std::string& name) { return name == "KUBERNETES_SERVICE_HOST" ? host : port; }, "/sa");
  if (!found.access) return;
  const auto url = http::parse_url(found.access->server);
  promise(url && url->secure && url->path.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const std::string word(text);
  if (const auto url = http::parse_url(text)) is_read_as_written(text, *url);
  comes_back_from_a_query(word);
  const auto blank = std::min(word.find(' '), word.size());
  is_a_server_only(word.substr(0, blank), word.substr(std::min(blank + 1, word.size())));
  if (const auto listen = http::parse_listen(word); listen.error.empty()) {
    const auto again = http::parse_listen(listen.address.text());
    promise(again.error.empty() && again.address.text() == listen.address.text());
  }
  return 0;
}
