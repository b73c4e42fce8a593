// Whatever two legal states there are, the plan leads from one to the other, all at once or bit by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/rounds.h"
#include "tests/support/scenes/planned.h"

namespace evenkeel {
namespace {

using test::say;

class World {
 public:
  explicit World(unsigned seed) : random_(seed) {}

  kernel::KernelRules empty_tree() {
    const bool modern = chance(3);
    kernel::KernelRules rules(
        {.cpu_v2 = modern, .cpuset_v2 = modern, .online = CpuSet::range(0, 7), .plain = ~KnobBits{}});
    const int groups = 1 + below(8);
    for (int i = 0; i < groups; ++i)
      rules.add({.parent = i == 0 ? -1 : below(i), .period_us = chance(4) ? 50000 : 100000});
    return rules;
  }
  /// Reaches a random legal state by writes that the rules take.
  void settle(kernel::KernelRules& rules) {
    for (int i = 0; i < rules.size(); ++i)
      static_cast<void>(rules.set(i, Knob::cpuset_cpus, part_of(rules, i)));
    for (int writes = below(40); writes > 0; --writes) {
      const int group = below(rules.size());
      const auto knob = static_cast<Knob>(below(static_cast<int>(kKnobCount)));
      static_cast<void>(rules.set(group, knob, value(knob)));
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
  CpuSet part_of(const kernel::KernelRules& rules, int group) {
    const int parent = rules.group(group).parent;
    const auto above = parent < 0 ? CpuSet::range(0, 7) : rules.group(parent).cpus;
    const auto part = above & cpus();
    return part.empty() ? above : part;
  }
  KnobValue value(Knob knob) {
    if (knob == Knob::cpuset_cpus) return cpus();
    if (knob == Knob::cpu_idle) return std::int64_t{below(2)};
    if (knob == Knob::cpu_shares) return std::int64_t{2 + below(5000)};
    if (is_plain(knob) && row(knob).values.kind == ValueKind::number)
      return std::min(row(knob).values.lowest + below(60), row(knob).values.highest);
    if (knob == Knob::memory_high && chance(4)) return Unlimited{};
    if (row(knob).values.kind == ValueKind::bytes) return std::int64_t{4096} * below(60);
    if (knob == Knob::cpu_quota && chance(4)) return Unlimited{};
    return std::int64_t{1000} * (knob == Knob::cpu_burst ? below(60) : 1 + below(60));
  }
  std::mt19937 random_;
};

std::vector<kernel::Target> differences(const kernel::KernelRules& from, const kernel::KernelRules& to) {
  std::vector<kernel::Target> out;
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
    std::vector<kernel::PlannedWrite> steps;
    kernel::plan_writes(model, targets, steps);
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

/// One tick that may take `most` steps; each must be legal.
void take_some(kernel::KernelRules& kernel, const kernel::KernelRules& to, std::size_t most) {
  auto model = kernel;
  std::vector<kernel::PlannedWrite> steps;
  kernel::plan_writes(model, differences(kernel, to), steps);
  kernel::keep_first(steps, most);
  ASSERT_FALSE(steps.empty());
  ASSERT_LE(steps.size(), std::max(most, std::size_t{2}));
  std::vector<int> woken;
  for (const auto& step : steps) {
    const bool was_idle = kernel.group(step.group).idle;
    ASSERT_EQ(kernel.set(step.group, step.knob, step.value), 0) << say(steps);
    if (was_idle && !kernel.group(step.group).idle) woken.push_back(step.group);
  }
  for (const int group : woken) ASSERT_EQ(kernel.group(group).shares, to.group(group).shares) << say(steps);
}

TEST(KeepFirst, FromAnyCutTheRestIsReachedByLegalSteps) {
  for (unsigned seed = 0; seed < test::rounds(10000); ++seed) {
    World world(seed);
    auto kernel = world.empty_tree();
    auto to = kernel;
    world.settle(kernel);
    world.settle(to);
    const auto most = static_cast<std::size_t>(1 + world.below(4));
    for (int tick = 0; !differences(kernel, to).empty(); ++tick) {
      ASSERT_LT(tick, 100) << "seed " << seed;
      ASSERT_NO_FATAL_FAILURE(take_some(kernel, to, most)) << "seed " << seed;
    }
  }
}

TEST(Planner, AnyWishIsReachableOnceItWasFitted) {
  for (unsigned seed = 0; seed < 25000; ++seed) {
    World world(seed);
    auto from = world.empty_tree();
    world.settle(from);
    auto want = from;
    for (int intents = 1 + world.below(6); intents > 0; --intents) {
      const int group = world.below(want.size());
      want.assume(group, Knob::cpu_quota, std::int64_t{1000} * (20 + world.below(40)));
      if (world.chance(2)) want.assume(group, Knob::cpu_burst, std::int64_t{1000} * world.below(100));
      if (world.chance(2))
        want.assume(group, Knob::cpuset_cpus, CpuSet::range(world.below(4), 4 + world.below(4)));
    }
    kernel::fit_to_rules(from, {}, want);
    auto kernel = from;
    std::vector<kernel::PlannedWrite> steps;
    kernel::plan_writes(kernel, differences(from, want), steps);
    for (const auto& step : steps) ASSERT_EQ(step.refusal, 0) << "seed " << seed << "\n" << say(steps);
    ASSERT_TRUE(differences(kernel, want).empty()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace evenkeel
