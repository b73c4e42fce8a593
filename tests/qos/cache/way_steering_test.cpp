// Best effort's cache ways, steered by the misses of services: on a made-up cache of which it is known what
// best effort's ways cost the services.
#include "qos/cache/way_steering.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/cache_ways.h"

namespace evenkeel {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct Ways : test::CacheWays {
  /// Best effort comes after five minutes, and loses all but one of the eight ways.
  void take_all() {
    pass(minutes(5));
    batch = true;
    pass(minutes(20));
    ASSERT_EQ(steering.taken(), 7);
  }
};
using test::kBatch, test::kUsual, test::kWeb;
using Steps = std::vector<std::int64_t>;

TEST_F(Ways, ServicesAsUsualLeaveBestEffortAllOfThem) {
  pass(minutes(30));
  batch = true;
  suffers = [](std::int64_t) { return 1.3; };  // between the marks
  pass(minutes(30));
  EXPECT_EQ(seen, Steps{0});
  EXPECT_NEAR(*steering.times_usual(), 1.2, 0.01) << "what is usual rises by a twelfth in half an hour";
  EXPECT_NEAR(*steering.misses() * 1e6, 1.3 * 1.5 * kUsual, 1);
}

TEST_F(Ways, AreTakenStepByStepWhileItHelps) {
  pass(minutes(5));
  batch = true;
  pass(minutes(4));
  EXPECT_EQ(seen, (Steps{0, 2, 3})) << "a quarter of eight, then of six";
  pass(minutes(16));
  EXPECT_EQ(seen, (Steps{0, 2, 3, 4, 5, 6, 7})) << "until services miss less than half more than usual";
  EXPECT_EQ(steps(cache::WayStep::helped), 6U);
  EXPECT_EQ(steps(cache::WayStep::no_help), 0U);
}

TEST_F(Ways, ComeBackOneByOneWhenBestEffortHasGone) {
  ASSERT_NO_FATAL_FAILURE(take_all());
  batch = false;
  seen = {7};
  pass(minutes(10));
  EXPECT_GE(steering.taken(), 4) << "slowly";
  pass(minutes(30));
  EXPECT_EQ(seen, (Steps{7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(steps(cache::WayStep::harmless), 7U);
}

TEST_F(Ways, AStepThatDoesNotHelpIsGivenBackAndLeftAlone) {
  pass(minutes(5));
  batch = true;
  suffers = [](std::int64_t) { return 3.0; };  // their own doing
  pass(minutes(6));
  EXPECT_EQ(seen, (Steps{0, 2, 0}));
  pass(minutes(8));
  EXPECT_EQ(seen, (Steps{0, 2, 0})) << "ten turns of the counters";
  pass(hours(3));
  EXPECT_EQ(steps(cache::WayStep::helped), 0U);
  EXPECT_GE(steps(cache::WayStep::no_help), 3U) << "it is tried again";
  EXPECT_LE(steps(cache::WayStep::no_help), 5U) << "after longer and longer";
}

// What a cut gains in its first steps is kept when the next one gains nothing more.
TEST_F(Ways, AreTakenAsFarAsItHelps) {
  pass(minutes(5));
  batch = true;
  suffers = [](std::int64_t ways) { return ways > 5 ? static_cast<double>(ways) / 2 : 2.2; };
  pass(minutes(15));
  EXPECT_EQ(seen, (Steps{0, 2, 3, 4, 3})) << "four ways are as good as five";
}

TEST_F(Ways, DoNotSwingWhereGivingBackHurts) {
  pass(minutes(5));
  batch = true;
  suffers = [](std::int64_t ways) { return ways > 4 ? 1 + 0.6 * static_cast<double>(ways - 4) : 1.0; };
  pass(minutes(15));
  ASSERT_EQ(seen, (Steps{0, 2, 3, 4, 3, 4}));
  pass(hours(6));
  EXPECT_EQ(steering.taken(), 4);
  EXPECT_EQ(seen.size(), 4 + 2 * steps(cache::WayStep::hurt)) << "one way is tried, and taken again";
  EXPECT_GE(steps(cache::WayStep::hurt), 4U);
  EXPECT_LE(steps(cache::WayStep::hurt), 9U) << "an hour lies between in the end";
}

TEST_F(Ways, AServiceOfAnotherReleaseIsMeasuredByItself) {
  pass(minutes(5));
  batch = true;
  batch_misses = 5000;
  suffers = [](std::int64_t) { return 3.0; };
  watched.services = {CgroupId{11}, CgroupId{12}};  // new pods, which miss more
  node.cgroups.back().cpu_use = MilliCpu(1000);     // tick() is not called below
  const auto renamed = [this] {
    for (auto& counts : node.cpu_counts)
      if (counts.cgroup != kBatch) counts.cgroup = CgroupId{counts.cgroup.value + 10};
  };
  for (int i = 0; i < 3600; ++i) {
    node.at += seconds(1);
    node.cpu_counts.clear();
    const auto second = node.at.time_since_epoch() / seconds(1) % 60;
    if (second == 10) count(kWeb, 3 * kUsual, 1'000'000'000);
    if (second == 50) count(kBatch, batch_misses, 1'000'000'000);
    renamed();
    steering.steer(node, slo, watched, room);
  }
  EXPECT_EQ(steering.taken(), 0);
  EXPECT_NEAR(*steering.times_usual(), 1, 0.01);
}

TEST_F(Ways, ASampleCountsOnce) {
  pass(minutes(5));
  node.cpu_counts.clear();
  count(kWeb, 2 * kUsual, 100'000'000);
  steering.steer(node, slo, watched, room);
  const auto misses = steering.misses();
  node.measured = false;
  for (int i = 0; i < 20; ++i) steering.steer(node, slo, watched, room);
  EXPECT_EQ(steering.misses(), misses) << "between two ticks it is still there";
}

TEST_F(Ways, WhatBecomesUsualWithinADayIsUsual) {
  pass(minutes(5));
  batch = true;
  suffers = [](std::int64_t) { return 3.0; };
  pass(hours(5));
  EXPECT_GT(*steering.times_usual(), 1.2);
  EXPECT_LT(*steering.times_usual(), 1.5) << "twice as much after four hours";
  pass(hours(3));
  EXPECT_NEAR(*steering.times_usual(), 1, 0.01);
}

TEST_F(Ways, WhichServiceIsBusyMakesNoDifference) {
  web_instructions = 10'000'000'000;
  pass(minutes(5));
  batch = true;
  suffers = [](std::int64_t) { return 1.0; };
  web_instructions = 1'000'000;  // the one that misses less sleeps
  pass(minutes(10));
  EXPECT_NEAR(*steering.misses() * 1e6, 2 * kUsual, 10);
  EXPECT_NEAR(*steering.times_usual(), 1, 0.01);
}

TEST_F(Ways, WhoBringsNothingIntoTheCacheIsLeftAlone) {
  pass(minutes(5));
  batch = true;
  batch_misses = 100;
  pass(minutes(30));
  EXPECT_GT(*steering.times_usual(), 3);
  EXPECT_EQ(seen, Steps{0});
}

TEST_F(Ways, ComeBackWhileBestEffortSleeps) {
  ASSERT_NO_FATAL_FAILURE(take_all());
  batch = false;  // it is still there, uses no CPU, and is not counted
  pass(hours(1));
  EXPECT_EQ(steering.taken(), 0);
}

TEST_F(Ways, BestEffortThatIsNotCountedDoesNotGetItsWaysBack) {
  ASSERT_NO_FATAL_FAILURE(take_all());
  batch_is_counted = false;
  pass(minutes(4));
  EXPECT_EQ(steering.taken(), 7);
}

TEST_F(Ways, FewMissesDoNotMatter) {
  slo.evenkeel.resctrl_dynamic.least_misses_per_million = 20000;
  pass(minutes(5));
  batch = true;
  pass(minutes(30));
  EXPECT_EQ(seen, Steps{0});
  EXPECT_LT(*steering.times_usual(), 1.5);
}

TEST_F(Ways, WithoutFiguresTheConfigurationDecides) {
  ASSERT_NO_FATAL_FAILURE(take_all());
  node.counters.backend = CounterBackend::none;
  pass(seconds(30));
  EXPECT_EQ(steering.taken(), 7);
  EXPECT_FALSE(steering.misses());
  pass(seconds(2));
  EXPECT_EQ(steering.taken(), 0);
  node.counters.backend = CounterBackend::rotating;
  pass(minutes(10));
  EXPECT_GE(steering.taken(), 3) << "what is usual was not forgotten";
  known = false;  // the counter of misses is used by another program
  pass(seconds(80));
  EXPECT_GE(steering.taken(), 3);
  pass(seconds(20));
  EXPECT_EQ(steering.taken(), 0);
}

TEST_F(Ways, AServiceThatIsNotCountedAnyMoreIsNotKnown) {
  pass(minutes(5));
  ASSERT_TRUE(steering.misses());
  for (int i = 0; i < 71; ++i) {
    node.at += seconds(1);
    node.cpu_counts.clear();
    steering.steer(node, slo, watched, room);
  }
  EXPECT_FALSE(steering.misses()) << "its next turn would have been over";
}

TEST_F(Ways, TheConfigurationMayGrantLessMeanwhile) {
  ASSERT_NO_FATAL_FAILURE(take_all());
  room = {.ways = 3, .least = 2};
  tick();
  EXPECT_EQ(steering.taken(), 1);
  room = {.ways = 1, .least = 2};
  tick();
  EXPECT_EQ(steering.taken(), 0);
}

TEST_F(Ways, RandomMissesNeverTakeWhatIsNotThereAndSteadyOnesAllocateNothing) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> times(0.5, 6);
  suffers = [&](std::int64_t) { return times(random); };
  batch = true;
  for (int i = 0; i < 400; ++i) {
    room.ways = std::uniform_int_distribution<std::int64_t>(0, 12)(random);
    known = random() % 10 != 0;
    pass(minutes(1));
    EXPECT_GE(steering.taken(), 0);
    EXPECT_LE(steering.taken(), std::max<std::int64_t>(0, room.ways - room.least));
  }
  room.ways = 8;
  seen.reserve(100);
  suffers = [](std::int64_t) { return 1.0; };
  pass(minutes(2));
  const test::AllocGuard guard;
  pass(minutes(10));
  EXPECT_EQ(guard.allocations(), 0U);
}

}  // namespace
}  // namespace evenkeel
