// What a whole scan of a large node costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>

#include "cgroup/tree/tree.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel {
namespace {

using test::FakeHost;

void add_pods(FakeHost& fake, int from, int to) {
  for (int i = from; i < to; ++i)
    fake.pod(i % 2 ? KubeQos::burstable : KubeQos::besteffort, std::to_string(i), {"c1", "c2", "c3"});
}

/// The shortest of five, in CPU time: it does not matter what else the machine does.
std::clock_t scan_us(tree::CgroupTree& tree) {
  auto best = std::numeric_limits<std::clock_t>::max();
  for (int round = 0; round < 20; ++round) {
    const auto before = std::clock();
    EXPECT_FALSE(tree.scan());
    best = std::min(best, std::clock() - before);
  }
  return best;
}

TEST(TreeSize, AScanGrowsWithThePodsAndNoFaster) {
  FakeHost fake;
  fake.v2().bare().kubepods();
  add_pods(fake, 0, 250);
  const Host host = std::move(*Host::open(fake.root()));
  tree::CgroupTree tree(host, *tree::detect_layout(host, ""));
  tree.scan();
  const auto few = scan_us(tree);
  add_pods(fake, 250, 1000);
  EXPECT_TRUE(tree.scan());
  ASSERT_EQ(tree.all().size(), 4003U);
  const auto many = scan_us(tree);
  std::printf("scan of 250 pods: %ld us, of 1000 pods: %ld us\n", few, many);
  EXPECT_LT(many, 8 * few) << "four times the pods: something is quadratic";
}

}  // namespace
}  // namespace evenkeel
