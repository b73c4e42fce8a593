// Tests tables with one entry per cgroup that follow the tree.
#include "collectors/base/follow.h"

#include <gtest/gtest.h>

#include <string>

namespace evenkeel {
namespace {

struct Kept {
  CgroupId cgroup{};
  std::string what{};
};

/// The table after the tree has become one of these ids; new entries are called "new".
std::string followed(const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& ids) {
  std::vector<Kept> entries;
  entries.reserve(before.size());
  for (const auto id : before) entries.push_back({{id}, std::to_string(id)});
  std::vector<tree::Cgroup> cgroups;
  cgroups.reserve(ids.size());
  for (const auto id : ids) cgroups.push_back({.id = {id}});
  std::vector<const tree::Cgroup*> now;
  now.reserve(ids.size());
  for (const auto& cgroup : cgroups) now.push_back(&cgroup);
  collectors::follow(now, &Kept::cgroup, entries, [](const tree::Cgroup& cgroup) {
    return Kept{cgroup.id, "new"};
  });
  std::string out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].cgroup.value, ids[i]);
    out += (i > 0 ? " " : "") + entries[i].what;
  }
  return out;
}

TEST(FollowedTable, KeepsWhatStaysBesideCgroupsThatCameAndWent) {
  EXPECT_EQ(followed({1, 2, 3, 4, 5}, {8, 1, 9, 3, 7, 5, 6}), "new 1 new 3 new 5 new");
  EXPECT_EQ(followed({1, 2, 3}, {7, 8, 9, 1, 2, 3}), "new new new 1 2 3");
  EXPECT_EQ(followed({1, 2, 3, 4}, {3, 4}), "3 4");
  EXPECT_EQ(followed({1, 2, 3}, {1, 2, 3}), "1 2 3");
}

TEST(FollowedTable, BeginsAndEndsEmpty) {
  EXPECT_EQ(followed({}, {1, 2}), "new new");
  EXPECT_EQ(followed({1, 2}, {}), "");
  EXPECT_EQ(followed({1, 2}, {3, 4}), "new new");
}

}  // namespace
}  // namespace evenkeel
