#include "cgroup/tree/layout.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto pod = tree::parse_pod_dir(text)) promise(!pod->uid.empty());
  if (const auto id = tree::parse_container_dir(text)) promise(!id->empty());
  return 0;
}
