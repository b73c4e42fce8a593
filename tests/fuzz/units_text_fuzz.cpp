#include "agent/pods/timestamp.h"
#include "qos/model/units_text.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  parse_quantity(text);
  parse_quantity(text, 1000);
  parse_cpu(text);
  parse_bytes(text);
  parse_percent(text);
  if (const auto duration = parse_duration(text)) {
    promise(duration->count() >= 0);
    promise(parse_duration(duration_text(*duration)) == duration);
  }
  // Years 0 to 9999 with any offset.
  if (const auto time = pods::parse_timestamp(text))
    promise(*time > -63'000'000'000 && *time < 254'000'000'000);
  return 0;
}
