#include <openssl/evp.h>

#include <algorithm>

#include "agent/http/http_client.h"
#include "agent/kube/client/access.h"
#include "agent/kube/client/base64.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

void base64_comes_back(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  std::string encoded((size + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a zero
  ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()), data, static_cast<int>(size));
  encoded.pop_back();
  promise(kube::decode_base64(encoded) == text);
  if (const auto decoded = kube::decode_base64(text)) {
    const auto letters = size - static_cast<std::size_t>(std::ranges::count_if(
                                    text, [](char c) { return c == '\n' || c == '\r'; }));
    promise(letters % 4 == 0 && decoded->size() <= letters / 4 * 3 && decoded->size() + 2 >= letters / 4 * 3);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto found = kube::parse_kubeconfig(text, "dir/file");
  promise(found.access.has_value() != !found.error.empty());
  if (found.access) promise(http::parse_url(found.access->server).has_value());
  if (found.access && found.access->token.given()) promise(found.access->server.starts_with("https://"));
  base64_comes_back(data, size);
  return 0;
}
