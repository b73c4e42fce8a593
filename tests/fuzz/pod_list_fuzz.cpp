#include "agent/pods/pod_list.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto list = parse_pod_list(text, "f");
  for (const auto& pod : list.pods)
    for (const auto& container : pod.containers)
      promise(!container.limits.cpu || container.limits.cpu->count() >= 0);
  parse_node(text, "f");
  return 0;
}
