// The policy "resctrl" with best effort's ways steered: what the schemata and their reason say.
#include <gtest/gtest.h>

#include "qos/cache/cache.h"
#include "tests/support/scenes/cache_ways.h"
#include "tests/support/scenes/one_policy.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using std::chrono::seconds;
using test::kBatch, test::kUsual, test::kWeb;

struct CacheWaysInThePolicy : test::CacheWays {
  void twenty_ways() {
    node.resctrl = std::make_shared<const ResctrlSystem>(
        ResctrlSystem{{{.name = "L3", .unit = ResctrlUnit::ways, .full = 0xfffff, .domains = {0}}}, 8, 0});
    state.shared.of<decide::WatchedCgroups>() = watched;
  }
  std::string decide() {
    out.clear();
    test::decide_one(cache::resctrl_policy, node, slo, state, out);
    const auto groups = std::as_const(out).resctrl().groups();
    return groups.empty() ? "" : groups[0].schemata;
  }
  /// One minute in which services miss the cache so many times as often as usual.
  void minute(double times) {
    for (int i = 0; i < 60; ++i) {
      node.at += seconds(1);
      node.cpu_counts.clear();
      if (i == 10) count(kWeb, kUsual * times, 1'000'000'000);
      if (i == 50) count(kBatch, batch_misses, 1'000'000'000);
      decide();
    }
  }
  /// Of 20 ways best effort is granted ten, and steering has taken two and two of them.
  void take_four() {
    twenty_ways();
    slo.qos.be.resctrl = ResctrlQos{true, 0_pct, 50_pct, 100_pct};
    for (int i = 0; i < 5; ++i) minute(1);
    for (const double times : {2.0, 2.0, 1.7}) minute(times);
    ASSERT_EQ(decide(), "L3:0=3f\n");
  }
  decide::PolicyState state{};
  decide::Intents out{};
};

TEST_F(CacheWaysInThePolicy, TheRangeEndsLowerAndTheReasonSaysWhy) {
  node.resctrl = std::make_shared<const ResctrlSystem>(ResctrlSystem{
      {{.name = "MB", .unit = ResctrlUnit::percent, .full = 100, .least = 10, .step = 10, .domains = {0, 1}},
       {.name = "L3", .unit = ResctrlUnit::ways, .full = 0x7ff, .domains = {0, 1}}},
      8,
      0});
  slo.qos.be.resctrl = ResctrlQos{true, 0_pct, 30_pct, 80_pct};
  state.shared.of<decide::WatchedCgroups>() = watched;
  const auto decide_group = [&] {
    out.clear();
    test::decide_one(cache::resctrl_policy, node, slo, state, out);
    return std::as_const(out).resctrl().groups()[0];
  };
  for (int i = 0; i < 5; ++i) minute(1);
  EXPECT_EQ(decide_group().schemata, "MB:0=80;1=80\nL3:0=f;1=f\n");
  EXPECT_EQ(decide_group().why.text(),
            "best effort has 0 % to 30 % of the cache and 80 % of the memory bandwidth");
  for (int i = 0; i < 2; ++i) minute(2);
  EXPECT_EQ(decide_group().schemata, "MB:0=80;1=80\nL3:0=7;1=7\n");
  EXPECT_EQ(decide_group().why.text(),
            "best effort has 0 % to 27 % of the cache (up to 30 % are granted) and 80 % of the memory "
            "bandwidth: services miss the cache 4000 times in a million instructions, 199 % of what is usual "
            "for them");
  minute(1.7);
  minute(1.45);
  EXPECT_EQ(decide_group().schemata, "MB:0=80;1=80\nL3:0=3;1=3\n") << "10 % of eleven ways are two";
  slo.evenkeel.resctrl_dynamic.cache_ways = false;
  EXPECT_EQ(decide_group().schemata, "MB:0=80;1=80\nL3:0=f;1=f\n");
}

TEST_F(CacheWaysInThePolicy, ANarrowerRangeIsNeverExceededWhileTheMissesAreUnknown) {
  take_four();
  node.counters.backend = CounterBackend::none;
  slo.qos.be.resctrl->cat_range_end_percent = 15_pct;
  for (int i = 0; i < 40; ++i) {
    node.at += seconds(1);
    EXPECT_EQ(decide(), i < 30 ? "L3:0=3\n" : "L3:0=7\n") << "second " << i;
  }
}

TEST_F(CacheWaysInThePolicy, AClassThatIsOffForgetsWhatWasTaken) {
  take_four();
  slo.qos.be.resctrl->enable = false;
  node.at += seconds(1);
  EXPECT_EQ(decide(), "");
  slo.qos.be.resctrl = ResctrlQos{true, 0_pct, 15_pct, 100_pct};
  node.at += seconds(1);
  EXPECT_EQ(decide(), "L3:0=7\n");
}

}  // namespace
}  // namespace evenkeel
