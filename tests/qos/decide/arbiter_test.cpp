#include <gtest/gtest.h>

#include "qos/decide/intent.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

constexpr CgroupId kPod{7};
constexpr CgroupId kOther{3};

struct Arbiter : testing::Test {
  NodeSnapshot node{};
  NodeSlo slo{};
  decide::Intents intents{};
  std::vector<decide::Intent> plan{};

  void say(decide::PolicyIndex by, CgroupId target, Knob knob, const KnobValue& value) {
    intents.set_policy(by);
    intents.want(target, knob, value, because("a test wants it"));
  }
  void hold(decide::PolicyIndex by, CgroupId target, Knob knob) {
    intents.set_policy(by);
    intents.hold(target, knob, because("a test does not know"));
  }
  void decide() { decide::arbitrate(node, slo, intents, plan); }
};

TEST_F(Arbiter, SortsByCgroupAndLever) {
  say(0, kPod, Knob::cpu_burst, 1);
  say(0, kPod, Knob::cpu_quota, 1000);
  say(1, kOther, Knob::cpu_idle, 1);
  decide();
  ASSERT_EQ(plan.size(), 3U);
  EXPECT_EQ(plan[0].target, kOther);
  EXPECT_EQ(plan[1].knob, Knob::cpu_quota);
  EXPECT_EQ(plan[2].knob, Knob::cpu_burst);
}

TEST_F(Arbiter, TheTighterQuotaWinsInEitherOrder) {
  say(0, kPod, Knob::cpu_quota, Unlimited{});
  say(1, kPod, Knob::cpu_quota, 200000);
  say(2, kPod, Knob::cpu_quota, 300000);
  decide();
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].value, KnobValue(200000));
  EXPECT_EQ(plan[0].by, 1);
}

TEST_F(Arbiter, WhatTheOwnerAsksForIsKeptWhoeverWins) {
  say(0, kPod, Knob::cpu_quota, 300000);
  intents.all().back().owners = 200000;
  say(1, kPod, Knob::cpu_quota, 100000);
  decide();
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].value, KnobValue(100000));
  EXPECT_EQ(plan[0].owners, 200000);
}

TEST_F(Arbiter, TheFirstPolicyWinsWhereTheRuleIsRank) {
  say(2, kPod, Knob::cpu_idle, 1);
  say(1, kPod, Knob::cpu_idle, 0);
  decide();
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].by, 1);
}

TEST_F(Arbiter, AHoldLosesAgainstAnyValueButCountsAlone) {
  hold(0, kPod, Knob::cpu_quota);
  say(1, kPod, Knob::cpu_quota, Unlimited{});
  hold(0, kOther, Knob::cpu_quota);
  hold(1, kOther, Knob::cpu_quota);
  decide();
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_TRUE(plan[0].hold);
  EXPECT_EQ(plan[0].by, 0);
  EXPECT_FALSE(plan[1].hold);
}

TEST_F(Arbiter, DropsEveryWishForAHandsOffPod) {
  node = test::node().pod("theirs").hands_off().pod("ours").build();
  const CgroupId theirs = node.cgroup(node.pods[0].cgroup)->id;
  const CgroupId ours = node.cgroup(node.pods[1].cgroup)->id;
  say(0, theirs, Knob::cpu_quota, 1000);
  say(0, theirs, Knob::cpu_burst, 1000);
  say(0, ours, Knob::cpu_quota, 1000);
  decide();
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].target, ours);
}

TEST_F(Arbiter, AHandsOffNodeGetsAnEmptyPlan) {
  slo.evenkeel.hands_off = true;
  say(0, kPod, Knob::cpu_quota, 1000);
  plan.push_back({});
  decide();
  EXPECT_TRUE(plan.empty());
}

TEST_F(Arbiter, DropsWishesForNoCgroup) {
  say(0, CgroupId{}, Knob::cpu_quota, 1000);
  decide();
  EXPECT_TRUE(plan.empty());
}

}  // namespace
}  // namespace evenkeel
