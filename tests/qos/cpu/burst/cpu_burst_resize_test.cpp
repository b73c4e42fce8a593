// What burst does when the kubelet resizes a pod in place.
#include <gtest/gtest.h>

#include "qos/cpu/burst/burst.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using test::intended;
using test::node;

/// One throttled container with this limit, in a pod that has what its runtime class takes besides.
NodeSnapshot sized(MilliCpu limit, std::int64_t pod_quota) {
  const auto quota = limit.count() * 100;
  auto builder = node().cpus(64).uses(8000_mcpu).pod("web").ls().quota(pod_quota).burst(0);
  return builder.container("main").limit(limit).quota(quota).burst(0).uses(limit).throttled(3).build();
}

TEST(BurstResize, ThePodsQuotaIsItsNewOneAndWhatIsGranted) {
  NodeSlo slo;
  slo.cpu_burst.policy = BurstPolicy::automatic;
  decide::PolicyState state;
  MonoTime now{std::chrono::hours(1)};
  const auto pod_quota = [&](MilliCpu limit, std::int64_t found) {
    auto snapshot = sized(limit, found);
    snapshot.at = now += std::chrono::seconds(1);
    snapshot.since_previous = std::chrono::seconds(1);
    decide::Intents out;
    test::decide_one(burst::cpu_burst_policy, snapshot, slo, state, out);
    return intended(out, snapshot.cgroup(snapshot.pods[0].cgroup)->id, Knob::cpu_quota);
  };
  EXPECT_EQ(pod_quota(2000_mcpu, 230000), 270000) << "30000 are of the runtime class";
  EXPECT_EQ(pod_quota(4000_mcpu, 430000), 510000) << "resized up while it bursts";
  EXPECT_EQ(pod_quota(1000_mcpu, 130000), 150000) << "and down";
}

}  // namespace
}  // namespace evenkeel
