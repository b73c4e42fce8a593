// Which pairs of blame are reported, and how the others are summed: no time is lost, and no victim is left
// out.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "collectors/run_queue/reader.h"
#include "tests/support/alloc_guard.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

CgroupId id(std::uint32_t value) { return {value, 0}; }

class BlamePickTest : public testing::Test {
 protected:
  void note(std::uint32_t victim, std::uint32_t runner, Duration time, bool sibling = false) {
    pick_.add({.victim = id(victim), .runner = id(runner), .sibling = sibling, .time = time});
  }
  [[nodiscard]] std::vector<WaitBlame> of(std::uint32_t victim) const {
    std::vector<WaitBlame> out;
    std::ranges::copy_if(run_queue_.blame, std::back_inserter(out),
                         [&](const WaitBlame& one) { return one.victim == id(victim); });
    return out;
  }
  [[nodiscard]] BlameRest rest_of(std::uint32_t victim, bool sibling = false) const {
    for (const auto& one : run_queue_.blame_remainders)
      if (one.victim == id(victim) && one.sibling == sibling) return one;
    return {};
  }
  /// Of all victims, reported by pair or summed.
  [[nodiscard]] Duration all_time() const {
    Duration sum{};
    for (const auto& one : run_queue_.blame) sum += one.time;
    for (const auto& one : run_queue_.blame_remainders) sum += one.time;
    return sum;
  }
  run_queue::BlameSelection pick_{};
  RunQueue run_queue_{};
};

TEST_F(BlamePickTest, AllPairsAreReportedIfThereIsRoom) {
  for (std::uint32_t i = 0; i < run_queue::BlameSelection::kMaxPairs; ++i)
    note(1 + i % 4, 100 + i, 1ms * (i + 1));
  pick_.emit(run_queue_);
  EXPECT_EQ(run_queue_.blame.size(), run_queue::BlameSelection::kMaxPairs)
      << "one victim may have as many as there is room for";
  EXPECT_TRUE(run_queue_.blame_remainders.empty());
  EXPECT_EQ(run_queue_.merged_pairs, 0U);
  ASSERT_EQ(of(4).size(), 256U);
  EXPECT_EQ(of(4)[0].time, 1024ms) << "the longest first";
  EXPECT_EQ(run_queue_.blame[0].victim, id(1));
}

TEST_F(BlamePickTest, TheLongestPairsAreReportedAndTheOthersSummed) {
  for (std::uint32_t i = 0; i < 2000; ++i) note(1, 100 + i, 1us * (i + 1));
  note(2, 9, 1ns);
  pick_.emit(run_queue_);
  EXPECT_EQ(run_queue_.blame.size(), run_queue::BlameSelection::kMaxPairs);
  EXPECT_EQ(of(1).back().time, 978us) << "1023 of 2000, and one of who has next to nothing";
  EXPECT_EQ(of(2).size(), 1U);
  EXPECT_EQ(rest_of(1).pairs, 977);
  EXPECT_EQ(rest_of(1).time, 977us * 978 / 2);
  EXPECT_EQ(run_queue_.blame_remainders.size(), 1U);
  EXPECT_EQ(run_queue_.merged_pairs, 977U);
}

/// 330 victims with a dozen runners each, the last of them with the least: each keeps some pairs.
TEST_F(BlamePickTest, EveryVictimKeepsItsLongestPairs) {
  Duration noted{};
  for (std::uint32_t victim = 1; victim <= 330; ++victim)
    for (std::uint32_t runner = 1; runner <= 12; ++runner) {
      note(victim, 1000 + runner, 1us * (331 - victim) * runner);
      noted += 1us * (331 - victim) * runner;
    }
  pick_.emit(run_queue_);
  EXPECT_EQ(run_queue_.blame.size(), run_queue::BlameSelection::kMaxPairs);
  for (std::uint32_t victim = 1; victim <= 330; ++victim) {
    ASSERT_GE(of(victim).size(), run_queue::BlameSelection::kMinPerVictim) << victim;
    EXPECT_EQ(of(victim)[0].runner, id(1012)) << victim;
    EXPECT_EQ(of(victim)[2].runner, id(1010)) << victim;
  }
  EXPECT_GT(of(1).size(), run_queue::BlameSelection::kMinPerVictim)
      << "what is left goes to the longest of all";
  EXPECT_EQ(of(330).size(), run_queue::BlameSelection::kMinPerVictim);
  EXPECT_EQ(rest_of(330).pairs, 9);
  EXPECT_EQ(rest_of(330).time, 45us);
  EXPECT_EQ(run_queue_.merged_pairs, 330U * 12 - run_queue::BlameSelection::kMaxPairs);
  EXPECT_EQ(all_time(), noted);
}

/// More victims than pairs: the longest are reported, and the others' total is known.
TEST_F(BlamePickTest, VictimsWithoutRoomForPairsHaveSums) {
  for (std::uint32_t victim = 1; victim <= 1500; ++victim) {
    note(victim, 9000, 1us * victim);
    note(victim, 9001, 1us * victim / 2);
  }
  pick_.emit(run_queue_);
  EXPECT_EQ(run_queue_.blame.size(), run_queue::BlameSelection::kMaxPairs);
  EXPECT_EQ(of(1500).size(), 1U) << "every victim's first culprit comes before any victim's second";
  EXPECT_EQ(of(477).size(), 1U);
  EXPECT_EQ(of(476).size(), 0U);
  EXPECT_EQ(rest_of(476).pairs, 2);
  EXPECT_EQ(rest_of(476).time, 714us);
  EXPECT_EQ(rest_of(1500).time, 750us);
}

TEST_F(BlamePickTest, SharedCoresAreCountedSeparatelyFromWaits) {
  for (std::uint32_t i = 0; i < 1200; ++i) note(1, 100 + i, 1s, true);
  for (std::uint32_t i = 0; i < 5; ++i) note(1, 100 + i, 1us);
  pick_.emit(run_queue_);
  const auto waits =
      std::ranges::count_if(run_queue_.blame, [](const WaitBlame& one) { return !one.sibling; });
  EXPECT_EQ(waits, 3);
  EXPECT_EQ(rest_of(1).pairs, 2);
  EXPECT_EQ(rest_of(1).time, 2us);
  EXPECT_EQ(rest_of(1, true).pairs, 1200 - (1024 - 3));
}

/// More than it can hold at a time: the sums include all, whatever the order.
TEST_F(BlamePickTest, PairsBeyondTheCapacityAreSummedEarly) {
  std::mt19937 dice(1);
  std::vector<WaitBlame> all;
  std::map<std::uint32_t, Duration> longest, sums;
  for (std::uint32_t i = 0; i < 3 * run_queue::BlameSelection::kMaxCandidates; ++i) {
    const auto victim = 1 + i % 200;
    const auto time = Duration(1000 + static_cast<std::int64_t>(dice() % 1'000'000));
    all.push_back({.victim = id(victim), .runner = id(1000 + i), .time = time});
    longest[victim] = std::max(longest[victim], time);
    sums[victim] += time;
  }
  std::ranges::shuffle(all, dice);
  for (const auto& one : all) pick_.add(one);
  pick_.emit(run_queue_);
  for (const auto& [victim, sum] : sums) {
    Duration blamed{};
    for (const auto& one : of(victim)) blamed += one.time;
    EXPECT_EQ(blamed + rest_of(victim).time, sum) << victim;
    ASSERT_FALSE(of(victim).empty());
    EXPECT_EQ(of(victim)[0].time, longest[victim]) << victim;
  }
  EXPECT_EQ(run_queue_.merged_pairs, all.size() - run_queue::BlameSelection::kMaxPairs);
}

TEST_F(BlamePickTest, TheKernelsUnnamedBlameIsAddedToTheSums) {
  for (std::uint32_t i = 0; i < 1025; ++i) note(1, 100 + i, 1us * (i + 1));
  pick_.add_rest({.victim = id(1), .pairs = 1, .time = 5us});
  pick_.add_rest({.victim = id(7), .sibling = true, .pairs = 1, .time = 6us});
  pick_.emit(run_queue_);
  EXPECT_EQ(rest_of(1).pairs, 2);
  EXPECT_EQ(rest_of(1).time, 6us);
  EXPECT_EQ(rest_of(7, true).time, 6us);
  EXPECT_EQ(run_queue_.merged_pairs, 3U);
}

TEST_F(BlamePickTest, EachTickStartsEmptyAndAllocatesNothing) {
  const auto fill = [&] {
    for (std::uint32_t i = 0; i < 2000; ++i) note(1 + i % 500, 1000 + i, 1us * i);
    pick_.emit(run_queue_);
  };
  fill();
  const auto time = all_time();
  const AllocGuard guard;
  fill();
  EXPECT_EQ(guard.allocations(), 0U);
  EXPECT_EQ(all_time(), time);
  EXPECT_EQ(run_queue_.merged_pairs, 2U * (2000 - run_queue::BlameSelection::kMaxPairs)) << "since the start";
  pick_.emit(run_queue_);
  EXPECT_TRUE(run_queue_.blame.empty() && run_queue_.blame_remainders.empty());
}

}  // namespace
}  // namespace evenkeel::test
