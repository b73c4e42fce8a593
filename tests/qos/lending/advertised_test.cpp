#include "qos/lending/advertised.h"

#include <gtest/gtest.h>

#include "tests/support/scenes/advertising_node.h"

namespace evenkeel {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using test::AdvertisingNode;
using test::first_clause;
using test::kGib;

std::optional<std::int64_t> cpu_of(const lending::Advertised& out) { return out.amounts[0]; }
std::optional<std::int64_t> memory_of(const lending::Advertised& out) { return out.amounts[1]; }

TEST(Advertised, TheFirstNumbersAreWritten) {
  AdvertisingNode stage;
  const auto out = stage.after(seconds(1));
  EXPECT_TRUE(out.write);
  EXPECT_FALSE(out.urgent);
  EXPECT_EQ(out.amounts, (lending::LentAmounts{25000, 33 * kGib, 0, 0}));
  EXPECT_EQ(first_clause(out), "batch-cpu: 25000 can be lent");
  const auto next = stage.after(seconds(1));
  EXPECT_FALSE(next.write);
  EXPECT_EQ(next.amounts, out.amounts);
  EXPECT_EQ(next.why, "as computed");
}

TEST(Advertised, ATenthMoreIsNotMoreThanATenth) {  // 15
  AdvertisingNode stage;
  stage.after(seconds(1));
  stage.lend(27500);
  const auto held = stage.after(seconds(60));
  EXPECT_FALSE(held.write);
  EXPECT_EQ(cpu_of(held), 25000);
  EXPECT_EQ(held.why, "batch-cpu: held at 25000: 27500 differs too little");
  EXPECT_FALSE(stage.after(seconds(240)).write) << "300 s since the report: not older yet";
  const auto renewed = stage.after(seconds(1));
  EXPECT_TRUE(renewed.write);
  EXPECT_EQ(cpu_of(renewed), 27500);
  stage.lend(25000);
  stage.after(seconds(301));
  stage.lend(27501);
  EXPECT_EQ(cpu_of(stage.after(seconds(1))), 27501);
}

TEST(Advertised, AllFourAreTakenWhenOneMovesFar) {
  AdvertisingNode stage;
  stage.after(seconds(1));
  stage.lend(30000, 34 * kGib);
  const auto out = stage.after(seconds(1));
  EXPECT_EQ(out.amounts, (lending::LentAmounts{30000, 34 * kGib, 0, 0}));
  EXPECT_FALSE(out.urgent);
  EXPECT_EQ(out.why,
            "batch-cpu: 25000 to 30000: more can be lent; batch-memory: 33 GiB to 34 GiB: more can be lent");
}

TEST(Advertised, AgainstZeroAnyChangeIsGreat) {
  AdvertisingNode stage;
  stage.after(seconds(1));
  stage.lendable.mid_cpu = MilliCpu(1);
  EXPECT_EQ(stage.after(seconds(1)).amounts[2], 1);
  stage.strategy.resource_diff_threshold = 0;
  stage.lendable.mid_memory = Bytes(1);
  EXPECT_EQ(stage.after(seconds(1)).amounts[3], 1);
}

TEST(Advertised, NumbersThatStayAreRenewedWithoutAWrite) {
  AdvertisingNode stage;
  stage.after(seconds(1));
  EXPECT_FALSE(stage.after(seconds(400)).write);
  stage.lend(26000);
  EXPECT_FALSE(stage.after(seconds(300)).write) << "the renewal counts from when it was last found right";
  EXPECT_TRUE(stage.after(seconds(1)).write);
}

TEST(Advertised, ADropIsUrgentASmallOneIsNot) {
  AdvertisingNode stage;
  stage.after(seconds(1));
  stage.lend(22500);
  EXPECT_FALSE(stage.after(seconds(1)).write);
  stage.lend(22499);
  const auto out = stage.after(seconds(1));
  EXPECT_TRUE(out.write && out.urgent);
  EXPECT_EQ(cpu_of(out), 22499);
  EXPECT_EQ(out.why, "batch-cpu: 25000 to 22499: less can be lent");
}

TEST(Advertised, NeverFallsBelowWhatStartedPodsRequest) {
  AdvertisingNode stage;
  stage.pod_holding(20000, kGib);
  stage.pod_holding(4000, kGib);
  EXPECT_FALSE(stage.after(seconds(1)).below_requested);
  stage.lend(5000);
  auto out = stage.after(seconds(1));
  EXPECT_FALSE(out.urgent) << "1000 of 25000 are not much";
  EXPECT_TRUE(out.below_requested);
  out = stage.after(seconds(400));
  EXPECT_EQ(cpu_of(out), 24000);
  EXPECT_EQ(out.computed[0], 5000);
  EXPECT_EQ(out.why, "batch-cpu: 25000 to 24000: started pods request it, only 5000 can be lent");
  out = stage.after(seconds(1));
  EXPECT_EQ(cpu_of(out), 24000);
  EXPECT_EQ(out.why, "batch-cpu: stays at 24000: started pods request 24000, only 5000 can be lent");
  stage.pods.erase(stage.pods.begin());
  out = stage.after(seconds(1));
  EXPECT_TRUE(out.urgent) << "and follows them down";
  EXPECT_EQ(cpu_of(out), 5000);
  EXPECT_FALSE(out.below_requested);
}

TEST(Advertised, APodThatTheKubeletHasNotStartedKeepsNothingUp) {
  AdvertisingNode stage;
  stage.pod_holding(1'000'000, kGib);
  stage.pods[0].phase = PodPhase::pending;
  EXPECT_EQ(cpu_of(stage.after(seconds(1))), 25000) << "a pod is no reason to advertise what is not there";
  stage.pods[0].phase = PodPhase::failed;
  EXPECT_EQ(cpu_of(stage.after(seconds(1))), 25000);
}

TEST(Advertised, ASmallDropBelowWhatPodsHoldIsUrgentAndSaid) {
  AdvertisingNode stage;
  stage.pod_holding(24500, kGib);
  stage.pods[0].phase = PodPhase::pending;
  EXPECT_FALSE(stage.after(seconds(1)).below_requested);
  stage.lend(24000);
  const auto out = stage.after(seconds(1));
  EXPECT_TRUE(out.urgent);
  EXPECT_TRUE(out.below_requested);
  EXPECT_EQ(out.held[0], 24500);
  EXPECT_EQ(
      out.why,
      "batch-cpu: 25000 to 24000: less can be lent, pods request 24500, more than the 24000 advertised");
  stage.lend(23900);
  const auto next = stage.after(seconds(1));
  EXPECT_FALSE(next.write) << "once below, small changes are small again";
  EXPECT_TRUE(next.below_requested) << "but it is not forgotten";
}

TEST(Advertised, WhatPodsHoldIsTheSumOfTheirRequests) {
  AdvertisingNode stage;
  stage.pod_holding(1000, kGib);
  stage.pod_holding(2000, kGib);
  stage.pods[1].phase = PodPhase::pending;
  stage.pod_holding(4000, kGib);
  stage.pods[2].phase = PodPhase::succeeded;
  EXPECT_EQ(lending::requested_amounts(stage.pods), (lending::LentAmounts{3000, 2 * kGib, 0, 0}));
  stage.pods[0].containers[0].limits.mid_cpu = MilliCpu(7);
  EXPECT_EQ(lending::requested_amounts(stage.pods)[2], 7);
  stage.pods[2] = Pod{.kube_qos = KubeQos::burstable, .phase = PodPhase::running, .from_cgroup_only = true};
  EXPECT_EQ(lending::requested_amounts(stage.pods)[0], 3000) << "a batch pod is best effort for the kubelet";
  stage.pods[2].kube_qos = KubeQos::besteffort;
  EXPECT_EQ(lending::requested_amounts(stage.pods), lending::LentAmounts{});
}

TEST(Advertised, FastCpusCountAsMoreRoundedUp) {
  struct Case {
    double ratio;
    std::int64_t lent, advertised;
  };
  for (const auto& c : std::vector<Case>{{1.1, 25000, 27500},
                                         {1.15, 25000, 28750},
                                         {1.33, 1, 2},
                                         {1.2, 12345, 14814},
                                         {1.0, 25000, 25000},
                                         {0.5, 25000, 25000}}) {
    AdvertisingNode stage;
    stage.object.cpu_normalization_ratio = c.ratio;
    stage.lend(c.lent);
    const auto out = stage.after(seconds(1));
    EXPECT_EQ(cpu_of(out), c.advertised) << c.ratio;
    EXPECT_EQ(memory_of(out), 33 * kGib);
  }
}

TEST(Advertised, WhatThirdPartiesTookIsNotOffered) {  // 13
  const auto party = [](PriorityClass priority, std::int64_t cpu, std::int64_t memory) {
    ThirdPartyAllocation out{.name = "yarn", .priority_class = priority};
    out.resources.batch_cpu = MilliCpu(cpu);
    out.resources.batch_memory = Bytes(memory);
    return out;
  };
  AdvertisingNode stage;
  stage.lend(50000, 120 * kGib);
  stage.object.third_parties = {party(PriorityClass::batch, 10000, 10 * kGib),
                                party(PriorityClass::prod, 1, 1)};
  EXPECT_EQ(stage.after(seconds(1)).amounts, (lending::LentAmounts{40000, 110 * kGib, 0, 0}));
  stage.object.third_parties[0].resources.batch_cpu = MilliCpu(60000);
  EXPECT_EQ(cpu_of(stage.after(seconds(1))), 0);
  stage.object.cpu_normalization_ratio = 1.5;  // what they took is in the Node's terms already
  EXPECT_EQ(cpu_of(stage.after(seconds(1))), 15000);
}

TEST(Advertised, ThirdPartiesThatCannotBeReadHaveNotTakenNothing) {
  AdvertisingNode stage;
  stage.object.third_parties_unknown = "unreadable";
  stage.lendable.mid_cpu = MilliCpu(700);
  const auto out = stage.after(seconds(1));
  EXPECT_EQ(out.amounts, (lending::LentAmounts{std::nullopt, std::nullopt, 700, 0}));
  EXPECT_EQ(first_clause(out), "batch-cpu: not advertised: unreadable");
}

TEST(Advertised, AbsurdTimesAndAmountsStayWithinTheRange) {
  AdvertisingNode stage;
  stage.strategy.degrade_time_minutes = INT32_MAX;
  stage.strategy.update_time_threshold_seconds = INT32_MAX;
  stage.object.cpu_normalization_ratio = 100;
  stage.lend(INT64_MAX, INT64_MAX);
  EXPECT_EQ(cpu_of(stage.after(seconds(1))), INT64_MAX);
  stage.unknown("");
  EXPECT_EQ(cpu_of(stage.after(minutes(60), false)), INT64_MAX);
}

}  // namespace
}  // namespace evenkeel
