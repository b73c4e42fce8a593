// Without data, after a restart, disabled: what stands, stands, or shrinks to what pods hold.
#include <gtest/gtest.h>

#include "qos/lending/advertised.h"
#include "tests/support/scenes/advertising_node.h"

namespace evenkeel {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using test::AdvertisingNode;
using test::first_clause;
using test::kGib;

std::optional<std::int64_t> cpu_of(const lending::Advertised& out) { return out.amounts[0]; }

TEST(AdvertisedData, AnUnknownNumberLeavesWhatStands) {
  AdvertisingNode stage;
  stage.after(seconds(1));
  stage.unknown("the system's use is unknown");
  const auto out = stage.after(minutes(10));
  EXPECT_FALSE(out.write);
  EXPECT_EQ(cpu_of(out), 25000);
  EXPECT_EQ(first_clause(out), "batch-cpu: held at 25000: the system's use is unknown");
  AdvertisingNode fresh;
  fresh.unknown("no");
  EXPECT_EQ(fresh.after(seconds(1)).amounts, lending::LentAmounts{}) << "nor is anything made up";
}

TEST(AdvertisedData, WithoutDataOnlyWhatPodsHoldStays) {  // 14
  for (const bool averages_left : {true, false}) {
    AdvertisingNode stage;
    stage.pod_holding(4000, 2 * kGib);
    stage.after(seconds(1));
    if (!averages_left) stage.unknown("nothing is measured");
    EXPECT_EQ(cpu_of(stage.after(minutes(15), false)), 25000);
    const auto out = stage.after(seconds(1), false);
    EXPECT_TRUE(out.write && out.urgent);
    EXPECT_EQ(out.amounts, (lending::LentAmounts{4000, 2 * kGib, 0, 0}));
    EXPECT_FALSE(out.below_requested);
    EXPECT_EQ(first_clause(out), "batch-cpu: no data for 901 s: only the 4000 that pods request");
    stage.pods.clear();
    EXPECT_EQ(cpu_of(stage.after(seconds(1), false)), 0);
    stage.pod_holding(500, 0);
    const auto never_more = stage.after(seconds(1), false);
    EXPECT_EQ(cpu_of(never_more), 0);
    EXPECT_TRUE(never_more.below_requested);
    stage.lend(20000);
    EXPECT_EQ(cpu_of(stage.after(seconds(1))), 20000) << "measured again";
  }
}

TEST(AdvertisedData, OneResourceThatIsUnknownForLongDegradesAlone) {
  AdvertisingNode stage;
  stage.after(seconds(1));
  stage.lendable.batch_memory.reset();
  for (int i = 0; i < 15; ++i) EXPECT_FALSE(stage.after(minutes(1)).write);
  const auto out = stage.after(minutes(1));
  EXPECT_EQ(cpu_of(out), 25000);
  EXPECT_EQ(out.amounts[1], 0);
}

TEST(AdvertisedData, ARestartedAgentHoldsWhatItFindsUntilItKnowsMore) {
  AdvertisingNode stage;
  stage.state.standing = {9000, kGib, std::nullopt, std::nullopt};
  stage.unknown("nothing is measured");
  stage.pod_holding(100, 100);
  EXPECT_EQ(cpu_of(stage.after(seconds(1), false)), 9000);
  EXPECT_EQ(cpu_of(stage.after(minutes(15), false)), 9000);
  EXPECT_EQ(cpu_of(stage.after(minutes(1), false)), 100);
  AdvertisingNode knowing;
  knowing.state.standing = {24000, 33 * kGib, 0, 0};
  EXPECT_EQ(cpu_of(knowing.after(seconds(1))), 25000) << "written once after a start";
}

TEST(AdvertisedData, WithoutKnowingWhatPodsHoldNothingShrinksBlindly) {
  AdvertisingNode stage;
  stage.after(seconds(1));
  stage.pods_known = false;
  stage.unknown("the pods are unknown");
  const auto out = stage.after(minutes(16), false);
  EXPECT_FALSE(out.write);
  EXPECT_EQ(cpu_of(out), 25000);
  EXPECT_EQ(first_clause(out),
            "batch-cpu: no data for 960 s: stays at 25000: what pods request of it is unknown");
}

TEST(AdvertisedData, DisabledIsTakenOffOnceNoPodUsesIt) {
  AdvertisingNode stage;
  stage.pod_holding(4000, 0);
  stage.after(seconds(1));
  stage.strategy.enable = false;
  const auto out = stage.after(seconds(1));
  EXPECT_EQ(out.amounts, (lending::LentAmounts{4000, std::nullopt, std::nullopt, std::nullopt}));
  EXPECT_EQ(first_clause(out), "batch-cpu: colocation is off: only the 4000 that pods request");
  stage.pods.clear();
  EXPECT_EQ(stage.after(seconds(1)).amounts, lending::LentAmounts{});
  stage.pod_holding(4000, 0);
  const auto foreign = stage.after(seconds(1));
  EXPECT_FALSE(foreign.write || foreign.below_requested) << "what we do not advertise is not our word";
}

}  // namespace
}  // namespace evenkeel
