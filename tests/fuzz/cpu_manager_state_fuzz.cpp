#include "agent/pods/pod_list.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto state = pods::parse_cpu_manager_state(fuzz::text_of(data, size), "state");
  promise(state.problem.empty() || (!state.is_static && state.pinned.empty()));
  return 0;
}
