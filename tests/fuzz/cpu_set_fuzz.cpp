#include "qos/model/topology.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto set = CpuSet::parse(text)) promise(CpuSet::parse(set->text()) == set);
  return 0;
}
