// How fast the allowance moves: properties over many seeded runs of a closed loop.
#include <gtest/gtest.h>

#include <random>

#include "qos/cpu/suppress/share.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A node on which the kernel holds what was decided.
struct Loop {
  suppress::SuppressPace pace{};
  suppress::SuppressDamping state{};
  MonoTime now{seconds(100)};
  std::optional<MilliCpu> current{};
  std::vector<MonoTime> changes{};

  explicit Loop(int cpus, MilliCpu grain = MilliCpu(1)) {
    pace.capacity = MilliCpu(cpus * 1000);
    pace.grain = grain;
    pace.minimum = grain == MilliCpu(1) ? 20_mcpu : 2000_mcpu;
    pace.recovery = seconds(5);
    pace.dwell = seconds(10);
    pace.elapsed = seconds(1);
    if (grain > MilliCpu(1)) current = pace.capacity;
  }
  suppress::SuppressStep tick(MilliCpu target, Duration elapsed = seconds(1)) {
    now += elapsed;
    pace.elapsed = elapsed;
    const suppress::SuppressStep step = suppress::next_allowance(state, now, target, current, pace);
    if (!current || step.allowance != *current) changes.push_back(now);
    current = step.allowance;
    return step;
  }
  void settle(MilliCpu target, int ticks = 60) {
    for (int i = 0; i < ticks; ++i) tick(target);
  }
};

std::size_t most_changes_in_ten_seconds(const std::vector<MonoTime>& changes, MonoTime from) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    std::size_t inside = 0;
    for (std::size_t j = i; j < changes.size() && changes[j] - changes[i] < seconds(10); ++j) ++inside;
    if (changes[i] >= from) most = std::max(most, inside);
  }
  return most;
}

/// Runs of five minutes in which some ten seconds saw a second change; targets lie between `low` and `high`
/// thousandths of the capacity, give or take 2 %.
unsigned restless_runs(int cpus, MilliCpu grain, Duration tick, std::int64_t low, std::int64_t high) {
  unsigned restless = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Loop loop(cpus, grain);
    const std::int64_t middle = std::uniform_int_distribution<std::int64_t>(low, high)(random) * cpus;
    const std::int64_t noise = cpus * 20;  // 2 % of the capacity
    std::uniform_int_distribution<std::int64_t> around(middle - noise, middle + noise);
    for (Duration t{}; t < seconds(300); t += tick) loop.tick(MilliCpu(around(random)), tick);
    const MonoTime settled = MonoTime(seconds(100)) + seconds(30);
    if (most_changes_in_ten_seconds(loop.changes, settled) > 1) ++restless;
  }
  return restless;
}

TEST(SuppressDamping, NoiseOfTwoPercentChangesTheQuotaAtMostOnceInTenSeconds) {
  for (const int cpus : {4, 16, 64, 256})
    EXPECT_EQ(restless_runs(cpus, MilliCpu(1), seconds(1), 30, 600), 0U) << cpus << " CPUs";
  EXPECT_EQ(restless_runs(32, MilliCpu(1), milliseconds(200), 30, 600), 0U);
}

TEST(SuppressDamping, NoiseOfTwoPercentChangesTheCpusAtMostOnceInTenSeconds) {
  for (const int cpus : {8, 32, 128})
    EXPECT_EQ(restless_runs(cpus, 1000_mcpu, seconds(1), -20, 600), 0U) << cpus << " CPUs";
}

TEST(SuppressDamping, NoiseAroundTheMinimumHardlyEverChangesTheQuotaTwice) {
  // A target below the minimum is written at once, whatever the dwell time says: the one exception.
  for (const int cpus : {4, 16, 64}) EXPECT_LE(restless_runs(cpus, MilliCpu(1), seconds(1), -20, 20), 3U);
}

TEST(SuppressDamping, ARiseOfServicesCutsInTheSameTickWheneverItComes) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    Loop loop(64);
    std::uniform_int_distribution<std::int64_t> target(8000, 40000);
    loop.settle(MilliCpu(target(random)), std::uniform_int_distribution<int>(1, 60)(random));
    // More than 4 % of 64 CPUs always counts, even a second after the last change.
    const MilliCpu lower =
        *loop.current - MilliCpu(std::uniform_int_distribution<std::int64_t>(2571, 6000)(random));
    EXPECT_EQ(loop.tick(lower).move, suppress::SuppressMove::cut);
    EXPECT_EQ(*loop.current, lower);
  }
}

TEST(SuppressDamping, OnACalmNodeASmallRiseCutsInTheSameTickToo) {
  Loop loop(64);
  loop.settle(20000_mcpu, 60);
  loop.tick(19200_mcpu);  // 1.25 %
  EXPECT_EQ(*loop.current, 19200_mcpu);
  loop.tick(18200_mcpu);  // again, a second later: more than the 1.25 % that were seen in the last minute
  EXPECT_EQ(*loop.current, 18200_mcpu);
}

TEST(SuppressDamping, RecoversFullyWithinSecondsAfterAFall) {
  Loop loop(64);
  loop.settle(10000_mcpu);
  int ticks = 0;
  for (; *loop.current < 40000_mcpu && ticks < 60; ++ticks) loop.tick(40000_mcpu);
  EXPECT_LE(ticks, 4 + 5);  // the recovery time and five steps of 6.4 CPUs
}

TEST(SuppressDamping, RisesOnlyToTheLowestTargetOfTheRecoveryTime) {
  Loop loop(64);
  loop.settle(10000_mcpu);
  for (int i = 0; i < 40; ++i) {
    loop.tick(i % 4 == 0 ? 14000_mcpu : 40000_mcpu);  // a service that wakes every four seconds
    EXPECT_LE(*loop.current, 14000_mcpu);
  }
}

TEST(SuppressDamping, ManyShortTicksGrowNoFasterThanOneLongOne) {
  Loop loop(64);
  loop.settle(5000_mcpu);
  for (Duration t{}; t < seconds(6); t += milliseconds(50)) loop.tick(60000_mcpu, milliseconds(50));
  const MilliCpu begin = *loop.current;
  for (Duration t{}; t < seconds(3); t += milliseconds(50)) loop.tick(60000_mcpu, milliseconds(50));
  EXPECT_LE(*loop.current - begin, MilliCpu(3 * 6400 + 640));
  EXPECT_GE(*loop.current - begin, MilliCpu(3 * 6400 - 640));
}

TEST(SuppressDamping, ALongTickMayGrowByAllItsSeconds) {
  Loop loop(64);
  loop.settle(5000_mcpu);
  loop.tick(60000_mcpu, seconds(7));
  EXPECT_EQ(*loop.current, MilliCpu(5000 + 7 * 6400));
}

TEST(SuppressDamping, NeverLeavesItsBounds) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const auto any = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    Loop loop(static_cast<int>(any(1, 128)), any(0, 1) ? MilliCpu(1) : 1000_mcpu);
    for (int i = 0; i < 50; ++i) {
      const MilliCpu target(any(-50000, 200000));
      if (any(0, 9) == 0) loop.current = MilliCpu(any(1, 200) * 1000);
      const auto before = loop.current;
      const Duration elapsed = milliseconds(any(1, 5000));
      const suppress::SuppressStep step = loop.tick(target, elapsed);
      const MilliCpu wanted = std::max(target + loop.pace.grain - MilliCpu(1), loop.pace.minimum);
      EXPECT_GE(step.allowance, loop.pace.minimum);
      EXPECT_LE(step.allowance, std::max(before.value_or(wanted), wanted));
      EXPECT_EQ(step.allowance.count() % loop.pace.grain.count(), 0);
      const bool must = target <= loop.pace.minimum && loop.pace.grain == MilliCpu(1);
      EXPECT_TRUE(!must || step.allowance == loop.pace.minimum);
    }
  }
}

}  // namespace
}  // namespace evenkeel
