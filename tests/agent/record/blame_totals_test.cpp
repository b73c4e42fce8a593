// Tests which pairs are shown, and that no time is lost or decreases, however many pairs there are.
#include <gtest/gtest.h>

#include <random>

#include "agent/record/wait_totals.h"
#include "tests/support/alloc_guard.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

record::BlameTotals::Pair pair(std::uint32_t victim, std::uint32_t antagonist) {
  return {.victim = {victim, 0}, .antagonist = {antagonist, 0}};
}

/// Waits of victim 1, each a microsecond longer than the one before.
void fill(record::BlameTotals& totals, std::uint32_t from, std::uint32_t to) {
  for (auto i = from; i < to; ++i) totals.add(pair(1, i), 1us * i);
}

Duration all_of(const record::BlameTotals& totals) {
  Duration sum{};
  for (const auto& [who, one] : totals.shown()) sum += one.shown;
  for (const auto& [who, time] : totals.others()) sum += time;
  return sum;
}

constexpr auto kMost = static_cast<std::uint32_t>(record::BlameTotals::kMaxShownPairs);

TEST(BlameTotals, PairsBeyondTheLimitCountAsOthers) {
  record::BlameTotals totals;
  fill(totals, 1, kMost + 1);
  EXPECT_TRUE(totals.others().empty());
  totals.add(pair(2, 7), 1ns);
  totals.add(pair(2, 8), 2ns);
  totals.flush();
  EXPECT_EQ(totals.shown().size(), kMost);
  EXPECT_EQ(totals.others().at({{2, 0}, false}), 3ns);
}

TEST(BlameTotals, APairThatBecomesLongerIsShownFromThenOn) {
  record::BlameTotals totals;
  fill(totals, 1, kMost + 1);
  totals.add(pair(2, 7), 1us);
  totals.flush();
  EXPECT_FALSE(totals.shown().contains(pair(2, 7))) << "no longer than the shortest";
  totals.add(pair(2, 7), 5s);
  totals.flush();
  ASSERT_TRUE(totals.shown().contains(pair(2, 7)));
  EXPECT_EQ(totals.shown().at(pair(2, 7)).shown, 0s) << "its past stays with the others, which only grow";
  EXPECT_EQ(totals.others().at({{2, 0}, false}), 5s + 1us);
  EXPECT_FALSE(totals.shown().contains(pair(1, 1))) << "the shortest";
  EXPECT_EQ(totals.others().at({{1, 0}, false}), 1us);
  totals.add(pair(2, 7), 1s);
  EXPECT_EQ(totals.shown().at(pair(2, 7)).shown, 1s);
  EXPECT_EQ(totals.shown().size(), kMost);
}

TEST(BlameTotals, NearlyEqualPairsDoNotAlternate) {
  record::BlameTotals totals;
  for (std::uint32_t i = 1; i <= kMost; ++i) totals.add(pair(1, i), 1s);
  int changes = 0;
  for (int tick = 0; tick < 50; ++tick) {
    const bool before = totals.shown().contains(pair(1, 1));
    totals.add(tick % 2 == 0 ? pair(1, kMost + 1) : pair(1, 1), tick == 0 ? 1s : 100ms);
    totals.flush();
    changes += before != totals.shown().contains(pair(1, 1)) ? 1 : 0;
  }
  EXPECT_EQ(changes, 0);
}

/// Ten times as many pairs as are shown arrive in any order; after some ticks the longest are shown.
TEST(BlameTotals, TheLongestPairsAreShownAndNothingIsLost) {
  record::BlameTotals totals;
  std::mt19937 dice(1);
  Duration blamed{};
  constexpr std::uint32_t kAll = 10 * kMost, kLong = 300;
  std::map<record::BlameTotals::Side, Duration> before;
  for (int tick = 0; tick < 100; ++tick) {
    const auto add = [&](std::uint32_t i, Duration time) {
      totals.add(pair(1 + i % 50, i), time);
      blamed += time;
    };
    for (int i = 0; i < 700; ++i) add(kLong + static_cast<std::uint32_t>(dice() % (kAll - kLong)), 1us);
    for (std::uint32_t i = 0; i < kLong && tick > 5; ++i) add(i, 1ms);
    totals.flush();
    EXPECT_LE(totals.shown().size(), record::BlameTotals::kMaxShownPairs);
    EXPECT_LE(totals.known(), record::BlameTotals::kMaxPairs);
    EXPECT_EQ(all_of(totals), blamed);
    for (const auto& [side, time] : totals.others()) {
      EXPECT_GE(time, before[side]);
      before[side] = time;
    }
  }
  for (std::uint32_t i = 0; i < kLong; ++i)
    EXPECT_TRUE(totals.shown().contains(pair(1 + i % 50, i))) << i << ": late, but long";
}

TEST(BlameTotals, ADeletedPodMakesRoom) {
  record::BlameTotals totals;
  fill(totals, 1, kMost + 3);
  totals.forget([](CgroupId id) { return id.value == 5; });
  EXPECT_EQ(totals.shown().size(), kMost - 1);
  totals.flush();
  EXPECT_EQ(totals.shown().size(), kMost);
  EXPECT_TRUE(totals.shown().contains(pair(1, kMost + 2)));
  totals.forget([](CgroupId id) { return id.value == 1; });
  EXPECT_EQ(totals.known(), 0U);
  EXPECT_TRUE(totals.others().empty());
}

TEST(BlameTotals, ASteadyTickAllocatesNothing) {
  record::BlameTotals totals;
  fill(totals, 1, kMost + 100);
  totals.flush();
  fill(totals, 1, kMost + 100);
  const AllocGuard guard;
  fill(totals, 1, kMost + 100);
  totals.flush();
  EXPECT_EQ(guard.allocations(), 0U);
}

}  // namespace
}  // namespace evenkeel::test
