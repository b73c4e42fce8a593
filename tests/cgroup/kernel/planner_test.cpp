#include <gtest/gtest.h>

#include "cgroup/kernel/rules.h"
#include "tests/support/scenes/planned.h"

namespace evenkeel {
namespace {

using test::say;

constexpr auto kFree = kernel::KernelGroup::kUnlimited;

kernel::KernelRules v1() { return kernel::KernelRules({.online = CpuSet::range(0, 7)}); }
kernel::KernelRules v2() {
  return kernel::KernelRules({.cpu_v2 = true, .cpuset_v2 = true, .online = CpuSet::range(0, 7)});
}
std::string plan(kernel::KernelRules& now, const std::vector<kernel::Target>& targets) {
  std::vector<kernel::PlannedWrite> steps;
  kernel::plan_writes(now, targets, steps);
  return say(steps);
}
kernel::Target quota(int group, std::int64_t us) {
  if (us < 0) return {group, Knob::cpu_quota, Unlimited{}};
  return {group, Knob::cpu_quota, us};
}
kernel::Target burst(int group, std::int64_t us) { return {group, Knob::cpu_burst, us}; }
kernel::Target shares(int group, std::int64_t number) { return {group, Knob::cpu_shares, number}; }
kernel::Target idle(int group, std::int64_t number) { return {group, Knob::cpu_idle, number}; }
kernel::Target cpus(int group, const char* list) { return {group, Knob::cpuset_cpus, *CpuSet::parse(list)}; }

TEST(Planner, WhatIsSoAlreadyCostsNothing) {
  auto now = v1();
  now.add({.quota_us = 5000});
  EXPECT_EQ(plan(now, {quota(0, 5000), burst(0, 0), shares(0, 1024), idle(0, 0)}), "");
}

TEST(Planner, BurstComesDownBeforeItsQuotaAndGoesUpAfterIt) {
  for (auto now : {v1(), v2()}) {
    now.add({.quota_us = 20000, .burst_us = 20000});
    EXPECT_EQ(plan(now, {quota(0, 10000), burst(0, 5000)}), "0 cpu-burst 5000\n0 cpu-quota 10000\n");
    EXPECT_EQ(plan(now, {quota(0, 30000), burst(0, 30000)}), "0 cpu-quota 30000\n0 cpu-burst 30000\n");
  }
}

TEST(Planner, AnUnlimitedQuotaWithAHugeBurstCanBeLimited) {
  auto now = v1();
  now.add({.quota_us = kFree, .burst_us = 10000000});
  EXPECT_EQ(plan(now, {quota(0, 100000), burst(0, 0)}), "0 cpu-burst 0\n0 cpu-quota 100000\n");
}

TEST(Planner, LimitsRiseFromTheTopAndFallFromTheBottom) {
  auto now = v1();
  now.add({.quota_us = 20000});
  now.add({.parent = 0, .quota_us = 20000});
  EXPECT_EQ(plan(now, {quota(0, 50000), quota(1, 40000)}), "0 cpu-quota 50000\n1 cpu-quota 40000\n");
  EXPECT_EQ(plan(now, {quota(0, 10000), quota(1, 5000)}), "1 cpu-quota 5000\n0 cpu-quota 10000\n");
  EXPECT_EQ(plan(now, {quota(0, -1), quota(1, -1)}), "0 cpu-quota unlimited\n1 cpu-quota unlimited\n");
}

TEST(Planner, AMovingCpusetIsWidenedOnTheWayOnlyAboveGroupsThatUseIt) {
  auto now = v1();
  now.add({.cpus = CpuSet::range(0, 1)});
  now.add({.parent = 0, .cpus = CpuSet::range(0, 1)});
  EXPECT_EQ(plan(now, {cpus(0, "2-3"), cpus(1, "2-3")}),
            "0 cpuset-cpus 0-3 (on the way)\n1 cpuset-cpus 2-3\n0 cpuset-cpus 2-3\n");
  EXPECT_EQ(plan(now, {cpus(0, "0-7"), cpus(1, "4-5")}), "0 cpuset-cpus 0-7\n1 cpuset-cpus 4-5\n");
  EXPECT_EQ(plan(now, {cpus(0, "4"), cpus(1, "4")}), "1 cpuset-cpus 4\n0 cpuset-cpus 4\n");
}

// Worked examples 6 and 7 of the executor: there the narrowing of 6 waits for a minute (W15).
TEST(Planner, ACpusetThatMovesGetsThereAndOneThatNarrowsIsNotWidened) {
  auto now = v1();
  now.add({.cpus = CpuSet::range(0, 3)});
  now.add({.parent = 0, .cpus = CpuSet::range(0, 3)});
  EXPECT_EQ(plan(now, {cpus(0, "2-5"), cpus(1, "2-5")}),
            "0 cpuset-cpus 0-5 (on the way)\n1 cpuset-cpus 2-5\n0 cpuset-cpus 2-5\n");
  now = v1();
  now.add({.cpus = CpuSet::range(0, 7)});
  now.add({.parent = 0, .cpus = CpuSet::range(0, 7)});
  EXPECT_EQ(plan(now, {cpus(0, "0-3"), cpus(1, "0-3")}), "1 cpuset-cpus 0-3\n0 cpuset-cpus 0-3\n");
}

// Worked examples 1 to 4 of the executor, except that a parent which falls while its child rises (3) falls
// first: so the two never protect more than the node wanted before or after.
TEST(Planner, ProtectionRisesFromTheTopAndFallsFromTheBottom) {
  kernel::KernelRules now({.memory_v2 = true, .plain = kernel::mainline_plain_knobs(true)});
  now.add({});
  now.add({.parent = 0});
  const auto min = [](int group, std::int64_t bytes) {
    return kernel::Target{group, Knob::memory_min, bytes};
  };
  const auto high = [](int group, std::int64_t bytes) {
    return kernel::Target{group, Knob::memory_high, bytes};
  };
  EXPECT_EQ(plan(now, {min(0, 3000), min(1, 2000)}), "0 memory-min 3000\n1 memory-min 2000\n");
  EXPECT_EQ(plan(now, {min(0, 1000), min(1, 1000)}), "1 memory-min 1000\n0 memory-min 1000\n");
  EXPECT_EQ(plan(now, {min(0, 3000), min(1, 1000)}), "0 memory-min 3000\n");
  EXPECT_EQ(plan(now, {min(0, 2000), min(1, 2000)}), "0 memory-min 2000\n1 memory-min 2000\n");
  EXPECT_EQ(plan(now, {high(0, 8000), high(1, 4000)}), "1 memory-high 4000\n0 memory-high 8000\n");
}

// Worked example 5.
TEST(Planner, AQuotaIsTakenOffAboveBeforeItRisesBelow) {
  for (auto now : {v1(), v2()}) {
    now.add({.quota_us = 100000});
    now.add({.parent = 0, .quota_us = 100000});
    EXPECT_EQ(plan(now, {quota(0, -1), quota(1, 200000)}), "0 cpu-quota unlimited\n1 cpu-quota 200000\n");
  }
}

TEST(Planner, OnV2ACpusetGoesThereAtOnce) {
  auto now = v2();
  now.add({.cpus = CpuSet::range(0, 1)});
  now.add({.parent = 0, .cpus = CpuSet::range(0, 1)});
  EXPECT_EQ(plan(now, {cpus(0, "2-3"), cpus(1, "2-3")}), "0 cpuset-cpus 2-3\n1 cpuset-cpus 2-3\n");
  EXPECT_EQ(plan(now, {cpus(0, ""), cpus(1, "")}), "0 cpuset-cpus \n1 cpuset-cpus \n");
}

TEST(Planner, SharesAreWrittenWhileTheGroupIsNotIdle) {
  auto now = v1();
  now.add({.shares = 512});
  EXPECT_EQ(plan(now, {shares(0, 2), idle(0, 1)}), "0 cpu-shares 2\n0 cpu-idle 1\n");
  EXPECT_EQ(plan(now, {shares(0, 512), idle(0, 0)}), "0 cpu-idle 0\n0 cpu-shares 512\n");
}

TEST(Planner, WhatHasNoLegalWayIsListedLastWithTheReason) {
  auto now = v1();
  now.add({.quota_us = 10000});
  now.add({.parent = 0, .quota_us = 10000});
  EXPECT_EQ(plan(now, {quota(1, 20000), shares(1, 7)}), "1 cpu-shares 7\n1 cpu-quota 20000 (refused)\n");
}

TEST(KeepFirst, CutsInTheOrderOfThePlanAndKeepsAWakingGroupWithItsShares) {
  const auto kept = [](std::size_t most) {
    auto now = v1();
    for (int group = 0; group < 3; ++group) now.add({.shares = 3, .idle = true});
    now.group(2).idle = false;
    std::vector<kernel::PlannedWrite> steps;
    kernel::plan_writes(now, std::vector{idle(0, 0), shares(0, 7), idle(1, 0), shares(1, 8), shares(2, 9)},
                        steps);
    const auto left_out = kernel::keep_first(steps, most);
    return say(steps) + std::to_string(left_out);
  };
  EXPECT_EQ(kept(5), "0 cpu-idle 0\n1 cpu-idle 0\n0 cpu-shares 7\n1 cpu-shares 8\n2 cpu-shares 9\n0");
  EXPECT_EQ(kept(4), "0 cpu-idle 0\n0 cpu-shares 7\n1 cpu-idle 0\n1 cpu-shares 8\n1");
  EXPECT_EQ(kept(3), "0 cpu-idle 0\n0 cpu-shares 7\n3");
  EXPECT_EQ(kept(1), "0 cpu-idle 0\n0 cpu-shares 7\n3") << "never half of it";
  EXPECT_EQ(kept(0), "5");
}

TEST(FitToRules, AChildComesDownWithItsParentOnV1Only) {
  for (const bool is_v2 : {false, true}) {
    auto now = is_v2 ? v2() : v1();
    now.add({});
    now.add({.parent = 0, .quota_us = 200000, .burst_us = 50000});
    auto want = now;
    want.assume(0, Knob::cpu_quota, std::int64_t{20000});
    kernel::fit_to_rules(now, {}, want);
    EXPECT_EQ(want.group(1).quota_us, is_v2 ? 200000 : 20000);
    EXPECT_EQ(want.group(1).burst_us, is_v2 ? 50000 : 20000);
  }
}

TEST(FitToRules, PeriodsOfDifferentLengthAreComparedAsShares) {
  auto now = v1();
  now.add({.period_us = 100000});
  now.add({.parent = 0});
  now.add({.parent = 1, .quota_us = 40000, .period_us = 50000});
  auto want = now;
  want.assume(0, Knob::cpu_quota, std::int64_t{30000});
  kernel::fit_to_rules(now, {}, want);
  EXPECT_EQ(want.group(2).quota_us, 15000);
}

TEST(FitToRules, AnUnchangedValueIsLeftAloneHoweverOddItIs) {
  auto now = v1();
  now.add({.quota_us = 1000, .cpus = CpuSet::range(0, 0)});
  now.add({.parent = 0, .quota_us = 90000, .burst_us = 100000, .cpus = CpuSet::range(4, 5)});
  auto want = now;
  kernel::fit_to_rules(now, {}, want);
  EXPECT_EQ(want.group(1).quota_us, 90000);
  EXPECT_EQ(want.group(1).burst_us, 100000);
  EXPECT_EQ(want.group(1).cpus, CpuSet::range(4, 5));
}

TEST(FitToRules, FixedKnobsStayAndCpusetsAreNeverEmpty) {
  auto now = v1();
  now.add({.cpus = CpuSet::range(0, 7)});
  now.add({.parent = 0, .cpus = CpuSet::range(4, 5)});
  now.add({.parent = 0, .cpus = CpuSet::range(4, 5)});
  auto want = now;
  want.assume(0, Knob::cpuset_cpus, CpuSet::range(0, 1));
  kernel::fit_to_rules(now, {0, 0, knob_bit(Knob::cpuset_cpus)}, want);
  EXPECT_EQ(want.group(1).cpus, CpuSet::range(0, 1)) << "nothing in common: all that the parent has";
  EXPECT_EQ(want.group(2).cpus, CpuSet::range(4, 5));
}

}  // namespace
}  // namespace evenkeel
