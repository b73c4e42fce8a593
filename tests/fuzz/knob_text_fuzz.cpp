// Fuzzes knob texts: a text that is read, written back and read again has the same meaning.
#include "cgroup/kernel/knob_files.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  for (const bool v2 : {false, true}) {
    tree::Layout layout;
    layout.on_v2.fill(v2);
    for (const auto& row : knob_table()) {
      const auto value = kernel::parse_value(row.knob, text, layout);
      if (!value) continue;
      const std::string written = kernel::format_value(row.knob, *value, text, layout);
      promise(!written.empty());
      promise(kernel::parse_value(row.knob, written, layout) ==
                  kernel::as_kernel_stores(row.knob, *value, layout) ||
              !kernel::legal_value(row.knob, *value));
      promise(kernel::same_text(row.knob, written, written));
    }
  }
  return 0;
}
