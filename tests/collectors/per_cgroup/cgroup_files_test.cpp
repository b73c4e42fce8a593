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
    EXPECT_NE(row.parse, nullptr) << row.name;
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
