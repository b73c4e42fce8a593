#include <string>

#include "agent/document/document.h"
#include "agent/runtime/json.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

// Whatever a cgroup is called or a server answers, what is written is JSON, without control characters, and a
// text that can be read comes back as it was.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  std::string out;
  runtime::Json(out).begin_object().member("text", text).end_object();
  for (const char c : out) promise(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  const auto read = document::parse_json(out, "written");
  promise(read.problems.empty());
  const auto back = read.root.text("text");
  std::string again;
  runtime::Json(again).begin_object().member("text", back).end_object();
  promise(back == text || back.find("\xef\xbf\xbd") != std::string::npos);
  promise(document::parse_json(again, "again").root.text("text") == back);
  return 0;
}
