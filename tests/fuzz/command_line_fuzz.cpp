#include "agent/http/http_server.h"
#include "agent/inputs/inputs.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const std::string word(text);
  const auto listen = http::parse_listen(word);
  promise(!listen.error.empty() || (listen.address.port >= 0 && listen.address.port <= 65535));
  inputs::parse_pods_source(word);
  return 0;
}
