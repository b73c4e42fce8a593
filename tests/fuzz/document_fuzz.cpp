#include "agent/document/document.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const std::string file = "f";
  for (const auto& parsed : {document::parse_yaml(text, file), document::parse_json(text, file),
                             document::parse_document(text, file)})
    for (const auto& problem : parsed.problems) promise(!problem.text().empty());
  return 0;
}
