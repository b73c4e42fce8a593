// The arithmetic of counting: the difference of two readings of a CPU's counters, scaling, and the number of
// turns.
#include <gtest/gtest.h>

#include "collectors/bpf/tables_shared.h"
#include "collectors/counters/cpu_counting.h"
#include "collectors/counters/window.h"

namespace evenkeel {
namespace {

using namespace std::chrono_literals;
using namespace literals;

TEST(AddCounted, IsTheDifferenceOfTwoReadings) {
  const CounterReading from{.enabled_ns = 100, .running_ns = 60, .counts = {1000, 500, 7, 0, 2}};
  const CounterReading to{.enabled_ns = 150, .running_ns = 100, .counts = {1400, 700, 7, 1, 9}};
  CountCell cell{};
  for (int times = 1; times <= 2; ++times) {
    add_counted(&cell, &from, &to);
    const auto n = static_cast<unsigned long long>(times);
    EXPECT_EQ(cell.sum.enabled_ns, 50 * n);
    EXPECT_EQ(cell.sum.running_ns, 40 * n);
    EXPECT_EQ(cell.sum.counts[0], 400 * n);
    EXPECT_EQ(cell.sum.counts[1], 200 * n);
    EXPECT_EQ(cell.sum.counts[2], 0 * n);
    EXPECT_EQ(cell.sum.counts[3], 1 * n);
    EXPECT_EQ(cell.sum.counts[4], 7 * n);
    EXPECT_EQ(cell.lost, 0U);
  }
}

/// Whichever value decreased, nothing is added and the loss is counted.
TEST(AddCounted, ADecreasedCounterIsNeverAHugeNumber) {
  const CounterReading from{.enabled_ns = 100, .running_ns = 60, .counts = {10, 10, 10, 10, 10}};
  const auto all_after = [&] {
    return CounterReading{.enabled_ns = 200, .running_ns = 160, .counts = {20, 20, 20, 20, 20}};
  };
  unsigned int cases = 0;
  CountCell cell{};
  const auto lost_with = [&](auto make_it_go_back) {
    CounterReading to = all_after();
    make_it_go_back(to);
    add_counted(&cell, &from, &to);
    ++cases;
    EXPECT_EQ(cell.lost, cases);
    EXPECT_EQ(cell.sum.enabled_ns, 0U);
    for (const auto count : cell.sum.counts) EXPECT_EQ(count, 0U);
  };
  lost_with([](CounterReading& to) { to.enabled_ns = 99; });
  lost_with([](CounterReading& to) { to.running_ns = 0; });
  for (int i = 0; i < kCountedEvents; ++i) lost_with([i](CounterReading& to) { to.counts[i] = 9; });
  const CounterReading to = all_after();
  add_counted(&cell, &from, &to);
  EXPECT_EQ(cell.lost, cases) << "and after it all is well again";
  EXPECT_EQ(cell.sum.counts[kCountedEvents - 1], 10U);
}

counters::CounterEvents events(std::size_t size) {
  counters::CounterEvents all;
  for (std::size_t i = 0; i < size; ++i) all.push_back({static_cast<counters::CounterKind>(i), 0, i});
  return all;
}

counters::CounterWindow window() { return {.cgroup = CgroupId{7}, .began = MonoTime(10s), .used_ns = 5e9}; }

TEST(ScaledCounts, EachCpuIsScaledByItsOwnShare) {
  counters::ScaledCounts scaled;
  scaled.add({.enabled_ns = 100, .running_ns = 100, .counts = {1000, 500, 0, 0, 0}});
  scaled.add({.enabled_ns = 100, .running_ns = 50, .counts = {1000, 250, 0, 0, 0}});
  scaled.add({});
  const auto counts = scaled.in(window(), MonoTime(20s), events(2));
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->cgroup, CgroupId{7});
  EXPECT_EQ(counts->window, 10s);
  EXPECT_EQ(counts->cycles, 3000);
  EXPECT_EQ(counts->instructions, 1000);
  EXPECT_EQ(counts->counted_share, 0.75);
  EXPECT_EQ(counts->cpu_use, 500_mcpu);
  EXPECT_FALSE(counts->reference_cycles || counts->cache_misses || counts->stalled_cycles)
      << "not counted is not zero";
}

TEST(ScaledCounts, LessThanHalfOfTheTimeCountedIsNoResult) {
  counters::ScaledCounts scaled;
  scaled.add({.enabled_ns = 1000, .running_ns = 499, .counts = {1000, 500, 0, 0, 0}});
  EXPECT_TRUE(scaled.counted());
  EXPECT_FALSE(scaled.in(window(), MonoTime(20s), events(2)));
  scaled.add({.enabled_ns = 2, .running_ns = 2});
  EXPECT_TRUE(scaled.in(window(), MonoTime(20s), events(2)));
}

TEST(ScaledCounts, NoResultWithoutRunningOrInstructions) {
  counters::ScaledCounts scaled;
  EXPECT_FALSE(scaled.counted());
  EXPECT_FALSE(scaled.in(window(), MonoTime(20s), events(2)));
  scaled.add({.enabled_ns = 10, .running_ns = 10, .counts = {1000, 0, 0, 0, 0}});
  EXPECT_FALSE(scaled.in(window(), MonoTime(20s), events(2)));
}

TEST(ScaledCounts, HandlesAllEventsAndAnUnknownUse) {
  counters::ScaledCounts scaled;
  scaled.add({.enabled_ns = 10, .running_ns = 10, .counts = {100, 50, 80, 0, 20}});
  counters::CounterWindow unknown = window();
  unknown.use_known = false;
  const auto counts = scaled.in(unknown, MonoTime(20s), events(counters::kCountedKinds));
  ASSERT_TRUE(counts);
  EXPECT_FALSE(counts->cpu_use);
  EXPECT_EQ(counts->reference_cycles, 80);
  EXPECT_EQ(counts->cache_misses, 0) << "counted, and none";
  EXPECT_EQ(counts->stalled_cycles, 20);
}

constexpr counters::RotationBudget kSmall{.events = 5, .cpus = 2}, kBig{.events = 5, .cpus = 64};

TEST(RotationRoom, IsWhatTheDescriptorsAllow) {
  const InterferenceSettings settings;
  EXPECT_EQ(kSmall.descriptors_per_cgroup(), 10U);
  EXPECT_EQ(kSmall.concurrent(settings), 102U);
  EXPECT_EQ(kSmall.per_period(settings), 612U);
  EXPECT_EQ(kBig.descriptors_per_cgroup(), 320U);
  EXPECT_EQ(kBig.per_period(settings), 18U);
  EXPECT_EQ((counters::RotationBudget{.events = 5, .cpus = 256}.per_period(settings)), 0U);
  EXPECT_EQ((counters::RotationBudget{.events = 2, .cpus = 0}.descriptors_per_cgroup()), 2U)
      << "CPUs that are not known yet";
}

}  // namespace
}  // namespace evenkeel
