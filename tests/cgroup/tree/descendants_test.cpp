// A walk through the cgroups that a container made for itself ends soon, however many it made.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cgroup/tree/tree.h"

namespace evenkeel::test {
namespace {

/// Every directory has as many directories below it, without end.
struct Endless {
  int children;
  int listed = 0;
  Result<> append_subdirs(const std::string& /*path*/, std::string& names) {
    ++listed;
    for (int child = 0; child < children; ++child) (names += 'a') += '\0';
    return {};
  }
};

struct Walk {
  int visited = 0;
  std::size_t longest = 0;
};
Walk walk(int children) {
  Endless lister{children};
  tree::BelowRoom room{.dir = "top"};
  Walk out;
  for (int round = 0; round < 2; ++round) {
    out = {};
    tree::visit_descendants(room, lister, [&](std::string& path) {
      ++out.visited;
      out.longest = std::max(out.longest, path.size());
      return true;
    });
  }
  EXPECT_EQ(room.dir, "top");
  return out;
}

TEST(Descendants, AWideTreeIsVisitedInPart) {
  EXPECT_EQ(walk(100000).visited, tree::kMaxDescendants);
  EXPECT_EQ(walk(10).visited, tree::kMaxDescendants);
}

TEST(Descendants, ADeepTreeIsVisitedInPart) {
  const Walk deep = walk(1);
  EXPECT_EQ(deep.visited, 1 + tree::kMaxDescendantDepth);
  EXPECT_EQ(deep.longest, std::string("top").size() + 2U * tree::kMaxDescendantDepth);
}

}  // namespace
}  // namespace evenkeel::test
