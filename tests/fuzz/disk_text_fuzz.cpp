// Fuzzes files with one line per disk: a value written into any text is read back, and the other disks stay
// unchanged.
#include "cgroup/base/disk_text.h"
#include "cgroup/kernel/knob_files.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

constexpr std::uint32_t kOurs = (8U << 20U) | 16U, kOther = 8U << 20U;

void put_in(std::string_view name, std::string_view text, const std::string& order) {
  const auto after = with_disk_entry(name, text, order);
  promise(disk_entry(name, kOurs, after) == order);
  // If a disk is listed twice, the last line counts.
  promise(disk_entry(name, kOther, after) == disk_entry(name, kOther, text));
}

void try_lever(std::string_view name, std::string_view text) {
  for (const std::int64_t number : {std::int64_t{1}, std::int64_t{INT64_MAX - 1}, kPlainMax})
    put_in(name, text, disk_text(name, kOurs, number));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  for (const auto& row : knob_table()) {
    if (!is_of_disk(row.knob)) continue;
    try_lever(row.v1_file, text);
    try_lever(row.v2_file, text);
  }
  for (const auto* name : {"io.cost.qos", "io.cost.model"}) {
    const auto entry = restorable_cost_line(name, kOurs, text);
    promise(same_cost(entry, entry));
    promise(same_cost(restorable_cost_line(name, kOurs, with_disk_entry(name, text, entry)), entry));
  }
  return 0;
}
