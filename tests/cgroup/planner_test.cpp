#include "cgroup/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <random>

namespace evenkeel {
namespace {

constexpr auto kFree = KernelGroup::kUnlimited;

std::string say(const std::vector<PlannedWrite>& steps) {
  std::string out;
  for (const auto& step : steps) {
    out += std::to_string(step.group) + " " + std::string(row(step.knob).name) + " " + text(step.value);
    out += step.intermediate ? " (on the way)\n" : step.refusal ? " (refused)\n" : "\n";
  }
  return out;
}

KernelRules v1() { return KernelRules({.online = CpuSet::range(0, 7)}); }
KernelRules v2() { return KernelRules({.cpu_v2 = true, .cpuset_v2 = true, .online = CpuSet::range(0, 7)}); }
std::string plan(KernelRules& now, const std::vector<Target>& targets) {
  std::vector<PlannedWrite> steps;
  plan_writes(now, targets, steps);
  return say(steps);
}
Target quota(int group, std::int64_t us) {
  if (us < 0) return {group, Knob::cpu_quota, Unlimited{}};
  return {group, Knob::cpu_quota, us};
}
Target burst(int group, std::int64_t us) { return {group, Knob::cpu_burst, us}; }
Target shares(int group, std::int64_t number) { return {group, Knob::cpu_shares, number}; }
Target idle(int group, std::int64_t number) { return {group, Knob::cpu_idle, number}; }
Target cpus(int group, const char* list) { return {group, Knob::cpuset_cpus, *CpuSet::parse(list)}; }

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

TEST(Planner, ACpusetThatMovesIsWidenedOnTheWayOnlyWhereSomebodyStandsBelow) {
  auto now = v1();
  now.add({.cpus = CpuSet::range(0, 1)});
  now.add({.parent = 0, .cpus = CpuSet::range(0, 1)});
  EXPECT_EQ(plan(now, {cpus(0, "2-3"), cpus(1, "2-3")}),
            "0 cpuset-cpus 0-3 (on the way)\n1 cpuset-cpus 2-3\n0 cpuset-cpus 2-3\n");
  EXPECT_EQ(plan(now, {cpus(0, "0-7"), cpus(1, "4-5")}), "0 cpuset-cpus 0-7\n1 cpuset-cpus 4-5\n");
  EXPECT_EQ(plan(now, {cpus(0, "4"), cpus(1, "4")}), "1 cpuset-cpus 4\n0 cpuset-cpus 4\n");
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

TEST(FitToRules, AChildComesDownWithItsParentOnV1Only) {
  for (const bool is_v2 : {false, true}) {
    auto now = is_v2 ? v2() : v1();
    now.add({});
    now.add({.parent = 0, .quota_us = 200000, .burst_us = 50000});
    auto want = now;
    want.assume(0, Knob::cpu_quota, std::int64_t{20000});
    fit_to_rules(now, {}, want);
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
  fit_to_rules(now, {}, want);
  EXPECT_EQ(want.group(2).quota_us, 15000);
}

TEST(FitToRules, WhatNobodyChangesIsLeftAloneHoweverOddItIs) {
  auto now = v1();
  now.add({.quota_us = 1000, .cpus = CpuSet::range(0, 0)});
  now.add({.parent = 0, .quota_us = 90000, .burst_us = 100000, .cpus = CpuSet::range(4, 5)});
  auto want = now;
  fit_to_rules(now, {}, want);
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
  fit_to_rules(now, {0, 0, knob_bit(Knob::cpuset_cpus)}, want);
  EXPECT_EQ(want.group(1).cpus, CpuSet::range(0, 1)) << "nothing in common: all that the parent has";
  EXPECT_EQ(want.group(2).cpus, CpuSet::range(4, 5));
}

// --- property: whatever two legal states there are, the plan leads from one to the other.

class World {
 public:
  explicit World(unsigned seed) : random_(seed) {}

  KernelRules empty_tree() {
    const bool modern = chance(3);
    KernelRules rules({.cpu_v2 = modern, .cpuset_v2 = modern, .online = CpuSet::range(0, 7)});
    const int groups = 1 + below(8);
    for (int i = 0; i < groups; ++i)
      rules.add({.parent = i == 0 ? -1 : below(i), .period_us = chance(4) ? 50000 : 100000});
    return rules;
  }
  /// Reaches a random legal state by writes that the rules take.
  void settle(KernelRules& rules) {
    for (int i = 0; i < rules.size(); ++i)
      static_cast<void>(rules.set(i, Knob::cpuset_cpus, part_of(rules, i)));
    for (int writes = below(40); writes > 0; --writes) {
      const int group = below(rules.size());
      const auto knob = static_cast<Knob>(below(static_cast<int>(kKnobCount)));
      if (knob != Knob::cpu_bvt) static_cast<void>(rules.set(group, knob, value(knob)));
    }
  }
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  bool chance(int of) { return below(of) == 0; }

 private:
  CpuSet cpus() {
    CpuSet out = CpuSet::range(0, 7);
    if (chance(2)) return out;
    out = CpuSet{};
    for (int n = 1 + below(4); n > 0; --n) out.add(below(8));
    return out;
  }
  CpuSet part_of(const KernelRules& rules, int group) {
    const int parent = rules.group(group).parent;
    const auto above = parent < 0 ? CpuSet::range(0, 7) : rules.group(parent).cpus;
    const auto part = above & cpus();
    return part.empty() ? above : part;
  }
  KnobValue value(Knob knob) {
    if (knob == Knob::cpuset_cpus) return cpus();
    if (knob == Knob::cpu_idle) return std::int64_t{below(2)};
    if (knob == Knob::cpu_shares) return std::int64_t{2 + below(5000)};
    if (knob == Knob::cpu_quota && chance(4)) return Unlimited{};
    return std::int64_t{1000} * (knob == Knob::cpu_burst ? below(60) : 1 + below(60));
  }
  std::mt19937 random_;
};

std::vector<Target> differences(const KernelRules& from, const KernelRules& to) {
  std::vector<Target> out;
  for (int group = 0; group < from.size(); ++group)
    for (const auto& lever : knob_table()) {
      const auto wanted = to.value(group, lever.knob);
      const bool leaves_idle = from.group(group).idle && !to.group(group).idle;
      if (lever.knob == Knob::cpu_shares && to.group(group).idle) continue;
      if (!(from.value(group, lever.knob) == wanted) || (lever.knob == Knob::cpu_shares && leaves_idle))
        out.push_back({group, lever.knob, wanted});
    }
  return out;
}

TEST(Planner, EveryStepIsLegalAndTheEndIsWhatWasWanted) {
  std::size_t steps_done = 0, on_the_way = 0;
  for (unsigned seed = 0; seed < 25000; ++seed) {
    World world(seed);
    auto from = world.empty_tree();
    auto to = from;
    world.settle(from);
    world.settle(to);
    const auto targets = differences(from, to);
    auto model = from, kernel = from;
    std::vector<PlannedWrite> steps;
    plan_writes(model, targets, steps);
    std::size_t intermediate = 0;
    for (const auto& step : steps) {
      ASSERT_EQ(kernel.set(step.group, step.knob, step.value), 0) << "seed " << seed << "\n" << say(steps);
      intermediate += step.intermediate ? 1 : 0;
    }
    for (const auto& target : targets)
      ASSERT_EQ(kernel.value(target.group, target.knob), target.value) << "seed " << seed << "\n"
                                                                       << say(steps);
    ASSERT_TRUE(differences(kernel, to).empty()) << "seed " << seed;
    ASSERT_LE(steps.size(), targets.size() + intermediate) << "seed " << seed;
    steps_done += steps.size();
    on_the_way += intermediate;
  }
  EXPECT_GT(steps_done, 100000U) << "the worlds must not be trivial";
  EXPECT_GT(on_the_way, 1000U);
  EXPECT_LT(on_the_way * 10, steps_done);
}

TEST(Planner, AnyWishIsReachableOnceItWasFitted) {
  for (unsigned seed = 0; seed < 25000; ++seed) {
    World world(seed);
    auto from = world.empty_tree();
    world.settle(from);
    auto want = from;
    for (int wishes = 1 + world.below(6); wishes > 0; --wishes) {
      const int group = world.below(want.size());
      want.assume(group, Knob::cpu_quota, std::int64_t{1000} * (20 + world.below(40)));
      if (world.chance(2)) want.assume(group, Knob::cpu_burst, std::int64_t{1000} * world.below(100));
      if (world.chance(2))
        want.assume(group, Knob::cpuset_cpus, CpuSet::range(world.below(4), 4 + world.below(4)));
    }
    fit_to_rules(from, {}, want);
    auto kernel = from;
    std::vector<PlannedWrite> steps;
    plan_writes(kernel, differences(from, want), steps);
    for (const auto& step : steps) ASSERT_EQ(step.refusal, 0) << "seed " << seed << "\n" << say(steps);
    ASSERT_TRUE(differences(kernel, want).empty()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace evenkeel
