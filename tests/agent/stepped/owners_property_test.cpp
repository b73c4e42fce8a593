// All policies that write cgroup files beside the other owners of these files: a kubelet that resizes pods in
// place and renews weights, systemd that resets its units, runtimes that make containers anew and set their
// CPU sets, memory limits and quotas, an administrator who limits a disk, an agent that is killed.
#include <gtest/gtest.h>

#include "tests/support/agents/owned_node.h"

namespace evenkeel::test {
namespace {

struct Length {
  unsigned seeds;
  int seconds, crash_every, stop_every, fewest_resizes;
};
// A resize that no list tells of may wait for an hour, and a restart would let it in.
constexpr Length kShort{
    .seeds = 12, .seconds = 600, .crash_every = 97, .stop_every = 151, .fewest_resizes = 6};
constexpr Length kTwoHours{
    .seeds = 1, .seconds = 7300, .crash_every = 7250, .stop_every = 7280, .fewest_resizes = 3};

class Owners : public testing::TestWithParam<bool> {
 protected:
  static void live(Told told, const Length& length) {
    for (unsigned seed = 0; seed < length.seeds; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      OwnedNode node(GetParam(), told, seed);
      for (int second = 0; second < 3; ++second) node.pass();
      node.expect_all_policies_act();
      for (int second = 1; second <= length.seconds && !HasFatalFailure(); ++second) {
        node.owners_act();
        node.pass();
        node.expect_best_effort_is_limited();
        if (second % length.crash_every == 0) node.crash();
        if (second % length.stop_every == 0) node.stop();
      }
      if (told != Told::nothing) node.expect_rest_when_left_alone();
      node.expect_few_writes();
      EXPECT_GE(node.resizes(), length.fewest_resizes);
    }
  }
};

TEST_P(Owners, LoseNoValueAndBestEffortStaysLimited) { live(Told::containers_limit, kShort); }

TEST_P(Owners, LoseNoLimitOfAWholePod) { live(Told::pods_limit, kShort); }

TEST_P(Owners, LowerALimitThatNoListTellsWithinAnHour) { live(Told::nothing, kTwoHours); }

INSTANTIATE_TEST_SUITE_P(Kernels, Owners, testing::Bool(),
                         [](const auto& kernel) { return kernel.param ? "v2" : "v1"; });

}  // namespace
}  // namespace evenkeel::test
