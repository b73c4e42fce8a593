#include <gtest/gtest.h>

#include <algorithm>

#include "collectors/per_cgroup/files.h"

namespace evenkeel {
namespace {

TEST(CgroupFiles, CountersAreReadEveryTick) {
  // An increase must span exactly one tick; otherwise a rate would be a multiple of the true value.
  for (const auto& row : per_cgroup::cgroup_files()) {
    const bool counts = row.name == "cpu.stat" || row.name == "cpuacct.usage";
    EXPECT_TRUE(!counts || row.every == 1) << row.name;
    EXPECT_GE(row.every, 1) << row.name;
    EXPECT_EQ(row.name.empty(), row.where == per_cgroup::Where::either) << row.name;
    const bool plain = row.where == per_cgroup::Where::either && is_plain(row.knob);
    EXPECT_EQ(row.parse == nullptr, plain) << row.name;
  }
}

TEST(CgroupFiles, APlainLeversFileGivesItsNumber) {
  const tree::Layout layout;
  per_cgroup::CgroupMemory memory;
  CgroupSample sample;
  per_cgroup::CgroupReading reading{layout, {}, {}, memory, sample};
  for (const auto& file : per_cgroup::cgroup_files()) {
    if (file.parse != nullptr) continue;
    per_cgroup::parse_file(file, "0\n", reading);
    EXPECT_EQ(sample.applied.plain.get(file.knob), 0) << row(file.knob).name;
    per_cgroup::parse_file(file, {}, reading);
    EXPECT_EQ(sample.applied.plain.get(file.knob), std::nullopt) << row(file.knob).name;
  }
}

TEST(CgroupFiles, EverySettingIsReadBack) {
  for (const auto& lever : knob_table()) {
    if (is_of_node(lever.knob) || is_of_disk(lever.knob)) continue;
    const auto rows = per_cgroup::cgroup_files();
    EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                            [&](const per_cgroup::CgroupFile& row) {
                              return row.where == per_cgroup::Where::either && row.knob == lever.knob &&
                                     row.setting;
                            }),
              1)
        << lever.name;
  }
}

}  // namespace
}  // namespace evenkeel
