#include "agent/http/http_client.h"
#include "agent/kube/client/access.h"
#include "agent/kube/client/base64.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto found = kube::parse_kubeconfig(text, "dir/file");
  promise(found.access.has_value() != !found.error.empty());
  if (found.access) promise(http::parse_url(found.access->server).has_value());
  if (found.access && found.access->token.given()) promise(found.access->server.starts_with("https://"));
  if (const auto url = http::parse_url(text)) promise(http::parse_url(url->text())->text() == url->text());
  kube::decode_base64(text);
  return 0;
}
