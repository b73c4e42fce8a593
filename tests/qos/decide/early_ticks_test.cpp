// What policies make of a decision between two ticks, whose rates are those of the tick before, and of the
// first tick after a pause.
#include <gtest/gtest.h>

#include "qos/cpu/burst/burst.h"
#include "qos/cpu/suppress/suppress.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::intended;
using test::node;

/// One container of two CPUs on an idle node of 64.
struct Bursting {
  Bursting() {
    auto builder = node().cpus(64).uses(8000_mcpu).pod("web").ls().quota(200000).burst(0);
    snapshot =
        builder.container("c").limit(2000_mcpu).quota(200000).burst(0).uses(2000_mcpu).throttled(3).build();
    snapshot.at = MonoTime{std::chrono::hours(1)};
    snapshot.usual_interval = seconds(1);
    slo.cpu_burst.policy = BurstPolicy::automatic;
  }
  CgroupSample& container() {
    return snapshot.cgroups[static_cast<std::size_t>(snapshot.containers[0].cgroup)];
  }
  std::int64_t quota(Duration later, bool measured = true) {
    test::obey(snapshot, out);
    snapshot.at += later;
    snapshot.since_previous = later;
    snapshot.measured = measured;
    out.clear();
    test::decide_one(burst::cpu_burst_policy, snapshot, slo, state, out);
    return intended(out, container().id, Knob::cpu_quota);
  }
  NodeSnapshot snapshot{};
  NodeSlo slo{};
  decide::PolicyState state{};
  decide::Intents out{};
};

TEST(EarlyTicks, ABurstDoesNotGrowBetweenTwoTicks) {
  Bursting loop;
  EXPECT_EQ(loop.quota(seconds(1)), 240000);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(loop.quota(milliseconds(100), false), 240000);
  EXPECT_EQ(loop.quota(seconds(1)), 288000);
}

TEST(EarlyTicks, AnUnusedBurstDecaysAllTheSame) {
  Bursting loop;
  for (int i = 0; i < 6; ++i) loop.quota(seconds(1));
  ASSERT_GT(loop.quota(seconds(1)), 400000);
  loop.container().throttling->throttled_periods = 0;
  loop.container().cpu_use = 100_mcpu;
  for (int i = 0; i < 90; ++i) {
    loop.quota(milliseconds(500), false);
    loop.quota(seconds(1));
  }
  EXPECT_EQ(loop.quota(seconds(1)), 200000);
}

TEST(AfterAPause, ABurstGrowsByTwoIntervalsAtMost) {
  Bursting loop;
  EXPECT_EQ(loop.quota(seconds(1)), 240000);
  EXPECT_EQ(loop.quota(std::chrono::hours(1)), 345600) << "a fifth per second, for two seconds";
}

TEST(AfterAPause, BestEffortGrowsByTwoIntervalsAtMost) {
  NodeSnapshot snapshot = node().cpus(64).uses(1000_mcpu).besteffort().quota(100000).build();
  NodeSlo slo;
  slo.threshold.enable = true;
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  decide::PolicyState state;
  snapshot.at = MonoTime{std::chrono::hours(1)};
  snapshot.usual_interval = seconds(1);
  std::int64_t quota = 100000;
  const auto after = [&](Duration later) {
    snapshot.at += later;
    snapshot.since_previous = later;
    snapshot.cgroups[static_cast<std::size_t>(snapshot.besteffort)].applied.cpu_limit->quota =
        QuotaTime(quota);
    decide::Intents out;
    test::decide_one(suppress::cpu_suppress_policy, snapshot, slo, state, out);
    return quota = intended(out, snapshot.cgroup(snapshot.besteffort)->id, Knob::cpu_quota);
  };
  for (int i = 0; i < 20 && after(seconds(1)) == 100000; ++i) {
  }
  const auto before = quota;
  EXPECT_EQ(after(std::chrono::hours(1)) - before, 2 * 640000) << "a tenth of 64 CPUs per second";
}

}  // namespace
}  // namespace evenkeel
