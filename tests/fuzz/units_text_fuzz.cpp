#include "agent/document/units_text.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  document::parse_quantity(text);
  document::parse_quantity(text, 1000);
  document::parse_cpu(text);
  document::parse_bytes(text);
  if (const auto duration = document::parse_duration(text)) {
    promise(duration->count() >= 0);
    promise(document::parse_duration(document::duration_text(*duration)) == duration);
  }
  return 0;
}
