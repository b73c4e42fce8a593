// When the run-queue program raises an alarm for the brake: its arithmetic, and the side it gives each
// cgroup.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "collectors/bpf/tables_shared.h"
#include "collectors/run_queue/alarms.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

constexpr unsigned long long kMs = 1'000'000, kWindow = 50 * kMs;

TEST(CountOnce, SimultaneousWaitsCountOnce) {
  BrakeCell cell{};
  EXPECT_EQ(count_once(&cell, 100, 200), 100U);
  EXPECT_EQ(count_once(&cell, 100, 200), 0U);
  EXPECT_EQ(count_once(&cell, 150, 230), 30U);
  EXPECT_EQ(count_once(&cell, 90, 240), 20U) << "it began before them and ended later";
  EXPECT_EQ(count_once(&cell, 240, 240), 0U);
}

TEST(CountOnce, PartsOfAWaitArriveLatestFirst) {
  BrakeCell cell{};
  EXPECT_EQ(count_once(&cell, 80, 100), 20U);
  EXPECT_EQ(count_once(&cell, 40, 60), 20U) << "not what is between them";
  EXPECT_EQ(count_once(&cell, 110, 120), 10U);
  EXPECT_EQ(count_once(&cell, 90, 105), 5U) << "between them nothing was counted";
  EXPECT_EQ(count_once(&cell, 70, 100), 0U) << "before the last is over and done with";
}

/// What the program counted of random waits on one CPU, and what a full record says: all time in which best
/// effort ran and a task waited.
struct Counted {
  unsigned long long ours = 0, record = 0;
};
Counted count_random(unsigned seed, bool in_order) {
  std::mt19937 dice(seed);
  const auto roll = [&](std::size_t below) { return static_cast<std::size_t>(dice() % below); };
  std::vector<bool> ran(400), waited(400);
  for (std::size_t i = 1; i < ran.size(); ++i) ran[i] = roll(5) == 0 ? !ran[i - 1] : ran[i - 1];
  BrakeCell cell{};
  Counted out;
  std::size_t from = 1, until = 1;
  for (;;) {
    from = in_order ? std::min(from + roll(12), until) : until - roll(std::min<std::size_t>(until, 40));
    until += roll(15);
    if (until >= ran.size()) break;
    for (std::size_t end = until; end > from; --end) {
      if (!ran[end - 1]) continue;
      auto begin = end;
      while (begin > from && ran[begin - 1]) waited[--begin] = true;
      out.ours += count_once(&cell, begin, end);
      end = begin + 1;
    }
  }
  out.record = static_cast<unsigned long long>(std::ranges::count(waited, true));
  return out;
}

TEST(CountOnce, IsExactIfWaitsEndInTheirStartingOrder) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const auto counted = count_random(seed, true);
    ASSERT_EQ(counted.ours, counted.record) << seed;
  }
}

TEST(CountOnce, IsNeverMoreThanTheRealWait) {
  unsigned long long ours = 0, record = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const auto counted = count_random(seed, false);
    ASSERT_LE(counted.ours, counted.record) << seed;
    ours += counted.ours;
    record += counted.record;
  }
  EXPECT_GT(ours, record * 7 / 10) << "and seldom much less";
}

/// The longest wait reported within a window, for a service that waits `wait` of each `every`.
unsigned long long most_waited(unsigned long long wait, unsigned long long every, unsigned long long window) {
  BrakeCell cell{};
  unsigned long long most = 0;
  for (unsigned long long now = 1000 * kMs; now < 1000 * kMs + 40 * window; now += every)
    most = std::max(most, add_waited(&cell, window, now - wait, now));
  return most;
}

TEST(AddWaited, FollowsASteadyShare) {
  for (const unsigned long long window : {kWindow, 200 * kWindow}) {
    EXPECT_NEAR(static_cast<double>(most_waited(kMs, 10 * kMs, window)), static_cast<double>(window) / 10,
                static_cast<double>(window) / 40);
    EXPECT_NEAR(static_cast<double>(most_waited(3 * kMs, 6 * kMs, window)), static_cast<double>(window) / 2,
                static_cast<double>(window) / 10);
  }
}

TEST(AddWaited, ABurstIsSeenAtTheThresholdWhereverTheWindowBegan) {
  for (unsigned long long phase = 0; phase < kWindow; phase += kMs) {
    BrakeCell cell{};
    const unsigned long long begins = 1000 * kMs + phase;
    add_waited(&cell, kWindow, 1000 * kMs - 1, 1000 * kMs);  // a window starts
    unsigned long long now = begins, waited = 0;
    while (waited < 10 * kMs) {
      now += kMs;
      waited = add_waited(&cell, kWindow, now - kMs, now);
    }
    EXPECT_LE(now - begins, 13 * kMs) << phase;
    EXPECT_GE(now - begins, 10 * kMs - 1000) << phase;
  }
}

TEST(AddWaited, ForgetsOldWaitsAndHandlesVeryLongOnes) {
  BrakeCell cell{};
  EXPECT_EQ(add_waited(&cell, kWindow, 1000 * kMs, 1008 * kMs), 8 * kMs);
  EXPECT_EQ(add_waited(&cell, kWindow, 1200 * kMs, 1201 * kMs), kMs);
  const unsigned long long hour = 3'600'000 * kMs, longest = 10'000 * kMs;
  add_waited(&cell, longest, 2000 * kMs, 2000 * kMs + hour);
  EXPECT_EQ(add_waited(&cell, longest, 2000 * kMs + hour, 2000 * kMs + hour), hour) << "still its window";
  EXPECT_LE(add_waited(&cell, longest, 3000 * kMs + hour + longest, 3001 * kMs + hour + longest), longest);
}

using test::node;

/// Slots in the order of the tree.
bpf::WatchedSlots slots_of(const NodeSnapshot& node) {
  bpf::WatchedSlots slots(kMostSlots);
  for (const auto& cgroup : node.cgroups) slots.take(cgroup.id, MonoTime{});
  return slots;
}

TEST(BrakeSides, AreServicePodsAndEverythingBelowBestEffort) {
  const auto snapshot = node()
                            .cpus(4)
                            .besteffort()
                            .pod("batch")
                            .be()
                            .container("worker")
                            .pod("cart")
                            .ls()
                            .container("main")
                            .container("proxy")
                            .pod("greedy")
                            .label(QosClass::be)
                            .container("main")
                            .host_app(QosClass::ls, HostAppBase::cgroup_root)
                            .host_app(QosClass::be, HostAppBase::cgroup_root)
                            .build();
  const auto slots = slots_of(snapshot);
  const auto sides = run_queue::brake_sides(snapshot, slots);
  const auto side = [&](CgroupIndex index) { return sides[*slots.find(snapshot.cgroup(index)->id)]; };
  const auto slot = [&](CgroupIndex index) { return *slots.find(snapshot.cgroup(index)->id); };
  const auto of_pod = [&](std::size_t pod) { return snapshot.pods[pod].cgroup; };
  EXPECT_EQ(side(snapshot.besteffort), 0U + kBesteffortSide);
  EXPECT_EQ(side(of_pod(0)), 0U + kBesteffortSide);
  EXPECT_EQ(side(snapshot.containers[0].cgroup), 0U + kBesteffortSide);
  EXPECT_EQ(side(of_pod(1)), slot(of_pod(1)));
  EXPECT_EQ(side(snapshot.containers[1].cgroup), slot(of_pod(1))) << "all its containers together";
  EXPECT_EQ(side(snapshot.containers[2].cgroup), slot(of_pod(1)));
  EXPECT_EQ(side(of_pod(2)), 0U) << "best effort by its label, but not where the brake cuts";
  EXPECT_EQ(side(snapshot.containers[3].cgroup), 0U);
  EXPECT_EQ(side(snapshot.host_applications[0].cgroup), slot(snapshot.host_applications[0].cgroup));
  EXPECT_EQ(side(snapshot.host_applications[1].cgroup), 0U);
  EXPECT_EQ(sides[kNoSlot], 0U);
}

TEST(BrakeSides, ACgroupWithoutSlotIsOnNeitherSide) {
  const auto snapshot = node().cpus(4).pod("cart").ls().container("main").build();
  const auto sides = run_queue::brake_sides(snapshot, bpf::WatchedSlots(1));
  EXPECT_EQ(std::ranges::count(sides, 0U), static_cast<std::ptrdiff_t>(sides.size()));
}

}  // namespace
}  // namespace evenkeel
