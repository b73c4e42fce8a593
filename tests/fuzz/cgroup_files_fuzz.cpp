// Fuzzes every row of the table of kernel files, with the text and then the text again as the next reading.
#include "collectors/per_cgroup/files.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

tree::Layout layout_of(bool v2) {
  tree::Layout layout;
  layout.version = v2 ? tree::CgroupVersion::v2 : tree::CgroupVersion::v1;
  layout.roots.fill("sys/fs/cgroup");
  layout.on_v2.fill(v2);
  return layout;
}

void read_all(std::string_view text, const tree::Layout& layout) {
  per_cgroup::CgroupMemory memory;
  CgroupSample sample;
  for (int reading = 0; reading < 2; ++reading) {
    per_cgroup::CgroupReading into{layout, {}, std::chrono::seconds(1), memory, sample};
    for (const auto& row : per_cgroup::cgroup_files()) per_cgroup::parse_file(row, text, into);
    if (sample.cpu_use) promise(sample.cpu_use->count() >= 0);
    if (sample.throttling)
      promise(sample.throttling->periods >= 0 && sample.throttling->throttled_periods >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  for (const bool v2 : {false, true}) read_all(text, layout_of(v2));
  return 0;
}
