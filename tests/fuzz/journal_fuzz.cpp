#include "cgroup/executor/journal.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const std::string_view line = text.substr(0, text.find(10) == text.npos ? text.npos : text.find(10) + 1);
  if (const auto record = executor::parse_journal_line(line)) {
    const auto again = executor::parse_journal_line(executor::journal_line(*record));
    promise(again && again->entry.original == record->entry.original &&
            again->entry.dir == record->entry.dir);
  }
  return 0;
}
