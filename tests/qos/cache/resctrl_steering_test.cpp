// Best effort's part of the memory bandwidth, steered by measured traffic.
#include <gtest/gtest.h>

#include <array>

#include "qos/cache/cache.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/one_policy.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using std::chrono::seconds;

constexpr const char* kBatch = "evenkeel-be";
constexpr std::int64_t kGB = 1'000'000'000;

/// Two memories of 100 GB/s, measured every two seconds.
struct Steering : testing::Test {
  Steering() {
    snapshot.at = MonoTime(seconds(1000));
    for (const std::int32_t cache : {0, 1})
      for (const char* group : {"", kBatch, "evenkeel-ls"})
        snapshot.resctrl_use.push_back({.group = group, .domain = cache, .total_traffic = 0_B});
    measure({}, {});
  }
  /// Two seconds later, with so many GB/s of services and of best effort at each memory.
  void measure(std::array<double, 2> services, std::array<double, 2> batch) {
    snapshot.at += seconds(2);
    for (auto& use : snapshot.resctrl_use) {
      const auto cache = static_cast<std::size_t>(use.domain);
      const double rate = use.group == kBatch ? batch[cache] : use.group.empty() ? 0 : services[cache];
      if (use.total_traffic)
        use.total_traffic = *use.total_traffic + Bytes(static_cast<std::int64_t>(rate * 2 * kGB));
    }
    snapshot.resctrl_measured = snapshot.at;
    steer();
  }
  void steer() { steering.steer(snapshot, kBatch, settings, most); }
  [[nodiscard]] std::int64_t share(std::size_t cache) const {
    return steering.memories()[cache].share.count();
  }

  NodeSnapshot snapshot{};
  ResctrlDynamic settings{.enable = true, .memory_bandwidth_per_second = Bytes(100 * kGB)};
  Percent most = 80_pct;
  cache::BandwidthSteering steering{};
};

TEST_F(Steering, WithPlentyToSpareBestEffortHasWhatTheConfigurationGrants) {
  EXPECT_EQ(share(0), 80);
  for (int i = 0; i < 20; ++i) measure({10, 20}, {40, 40});
  EXPECT_EQ(share(0), 80);
  EXPECT_EQ(share(1), 80);
}

TEST_F(Steering, IsCutAtOnceWhereTheMemoryIsFullAndOnlyThere) {
  measure({10, 50}, {40, 40});  // 90 of 100 GB/s; to come down to 72.5
  EXPECT_EQ(share(0), 80);
  EXPECT_EQ(share(1), 45) << "22.5 of the 40 GB/s that it moved";
  measure({10, 60}, {40, 30});
  EXPECT_EQ(share(1), 22) << "never to less than half at once";
  for (int i = 0; i < 20; ++i) measure({10, 95}, {40, 2});
  EXPECT_EQ(share(1), 10) << "what it keeps in any case";
  EXPECT_EQ(share(0), 80);
}

TEST_F(Steering, BetweenTheMarksNothingChanges) {
  measure({50, 50}, {40, 40});
  for (int i = 0; i < 20; ++i) measure({50, 50}, {22, 29});
  EXPECT_EQ(share(0), 45);
  EXPECT_EQ(share(1), 45);
}

TEST_F(Steering, ComesBackSlowly) {
  measure({50, 50}, {40, 40});
  ASSERT_EQ(share(0), 45);
  std::vector<std::int64_t> seen;
  for (int i = 0; i < 14; ++i) {
    measure({10, 10}, {20, 20});
    seen.push_back(share(0));
  }
  EXPECT_EQ(seen, (std::vector<std::int64_t>{45, 45, 55, 55, 55, 65, 65, 65, 75, 75, 75, 80, 80, 80}));
}

TEST_F(Steering, DoesNotCutForTrafficThatIsNotBestEfforts) {
  for (int i = 0; i < 5; ++i) measure({99, 99}, {0, 0});
  EXPECT_EQ(share(0), 80);
}

TEST_F(Steering, AnUnknownCounterHoldsAndThenTheConfigurationDecides) {
  measure({50, 50}, {40, 40});
  ASSERT_EQ(share(0), 45);
  snapshot.resctrl_use[2].total_traffic.reset();  // "Unavailable": a service's
  for (int i = 0; i < 10; ++i) measure({50, 50}, {22, 22});
  EXPECT_EQ(share(0), 45);
  for (int i = 0; i < 10; ++i) measure({50, 50}, {22, 22});
  EXPECT_EQ(share(0), 80);
  EXPECT_EQ(share(1), 45) << "the other memory is known";
}

TEST_F(Steering, ACounterThatWentBackwardsIsNotKnown) {
  measure({50, 50}, {40, 40});
  snapshot.resctrl_use[1].total_traffic = 0_B;  // the group was made anew
  measure({90, 50}, {0, 22});
  EXPECT_EQ(share(0), 45);
  measure({90, 50}, {5, 22});
  EXPECT_LT(share(0), 45);
}

TEST_F(Steering, OneMeasurementIsUsedOnce) {
  measure({50, 50}, {40, 40});
  for (int i = 0; i < 5; ++i) steer();
  EXPECT_EQ(share(0), 45);
}

TEST_F(Steering, FollowsALowerConfigurationAtOnce) {
  most = 30_pct;
  measure({10, 10}, {40, 40});
  EXPECT_EQ(share(0), 30);
}

TEST_F(Steering, AMemoryThatIsNotMeasuredAnyMoreIsForgotten) {
  std::erase_if(snapshot.resctrl_use, [](const ResctrlUse& use) { return use.domain == 0; });
  measure({10, 50}, {40, 40});
  ASSERT_EQ(steering.memories().size(), 1U);
  EXPECT_EQ(steering.memories()[0].cache, 1);
  EXPECT_FALSE(steering.memories()[0].moved) << "the counters stand elsewhere now";
}

TEST_F(Steering, SteadyMeasurementsAllocateNothing) {
  measure({50, 50}, {40, 40});
  const test::AllocGuard guard;
  for (int i = 0; i < 5; ++i) measure({50, 50}, {22, 29});
  EXPECT_EQ(guard.allocations(), 0U);
}

// --- in the policy

NodeSnapshot with_resctrl(NodeSnapshot node) {
  node.resctrl = std::make_shared<const ResctrlSystem>(ResctrlSystem{
      {{.name = "MB", .unit = ResctrlUnit::percent, .full = 100, .least = 10, .step = 10, .domains = {0, 1}},
       {.name = "L3", .unit = ResctrlUnit::ways, .full = 0x7ff, .domains = {0, 1}}},
      8,
      0});
  return node;
}

TEST_F(Steering, TheGroupsSchemataAndItsReasonSayWhatWasMeasured) {
  NodeSlo slo;
  slo.qos.be.resctrl = ResctrlQos{true, 0_pct, 30_pct, 80_pct};
  slo.evenkeel.resctrl_dynamic = settings;
  decide::PolicyState state{};
  decide::Intents out{};
  const auto decide = [&] {
    const NodeSnapshot node = with_resctrl(snapshot);
    out.clear();
    test::decide_one(cache::resctrl_policy, node, slo, state, out);
    return std::as_const(out).resctrl().groups()[0];
  };
  EXPECT_EQ(decide().schemata, "MB:0=80;1=80\nL3:0=f;1=f\n");
  EXPECT_EQ(decide().why.text(), "best effort has 0 % to 30 % of the cache and 80 % of the memory bandwidth");
  measure({10, 50}, {40, 40});
  EXPECT_EQ(decide().schemata, "MB:0=80;1=50\nL3:0=f;1=f\n") << "45 % in steps of ten";
  EXPECT_EQ(
      decide().why.text(),
      "best effort has 0 % to 30 % of the cache and 45 % of the memory bandwidth: 83.819 GiB a second are "
      "moved at the busiest cache, 37.253 GiB of it by best effort, and 93.132 GiB are possible");
  slo.evenkeel.resctrl_dynamic.enable = false;
  EXPECT_EQ(decide().schemata, "MB:0=80;1=80\nL3:0=f;1=f\n");
}

}  // namespace
}  // namespace evenkeel
