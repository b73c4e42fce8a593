// Fuzzes schemata, masks, counters and lists of threads.
#include "cgroup/base/text.h"
#include "cgroup/resctrl/text.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto schemata = resctrl::parse_schemata(text)) {
    promise(!schemata->empty());
    promise(resctrl::holds(*schemata, *schemata));
  }
  resctrl::parse_mask(text);
  if (const auto value = resctrl::parse_monitor(text)) promise(*value >= 0);
  if (const auto domain = resctrl::monitor_domain(text)) promise(*domain >= 0);
  std::vector<std::int32_t> threads;
  const int others = append_threads(text, threads);
  promise(others >= 0);
  for (const auto id : threads) promise(id > 0);
  return 0;
}
