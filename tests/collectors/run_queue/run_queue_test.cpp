// The arithmetic of the run-queue program.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "collectors/bpf/tables_shared.h"
#include "collectors/run_queue/reader.h"

namespace evenkeel {
namespace {

TEST(WaitBucket, IsTheSmallestPowerOfTwoNotBelowTheWait) {
  EXPECT_EQ(wait_bucket(0), 0U);
  EXPECT_EQ(wait_bucket(1), 0U);
  EXPECT_EQ(wait_bucket(1000), 0U);
  EXPECT_EQ(wait_bucket(1001), 1U);
  EXPECT_EQ(wait_bucket(2000), 1U);
  EXPECT_EQ(wait_bucket(2001), 2U);
  EXPECT_EQ(wait_bucket(4'000'000), 12U);  // 4 ms are below 4096 us
  EXPECT_EQ(wait_bucket(4'096'001), 13U);
  EXPECT_EQ(wait_bucket(1ULL << 62U), kWaitHistogram - 1U);
  for (unsigned int i = 0; i + 1 < kWaitHistogram; ++i) {
    EXPECT_EQ(wait_bucket(1000ULL << i), i);
    EXPECT_EQ(wait_bucket((1000ULL << i) + 1), i + 1);
  }
}

TEST(BlameKey, KeepsItsPartsDistinct) {
  const auto key = victim_key(kMostSlots - 1, 1) | kIdleSlot;
  EXPECT_EQ(key >> kSiblingBit, 1U);
  EXPECT_EQ(key >> kRunnerBits & 0x7fffU, kMostSlots - 1U);
  EXPECT_EQ(key & 0xffffU, 0U + kIdleSlot);
}

TEST(RanShare, IsOneIfStealTimeIsUnknown) {
  NodeSample node;
  EXPECT_EQ(run_queue::cpu_share(node), run_queue::CpuShare{});
  node.cpu_use = MilliCpu(1500);
  EXPECT_EQ(run_queue::cpu_share(node), run_queue::CpuShare{});
  node.cpu_stolen = MilliCpu(500);
  EXPECT_EQ(run_queue::cpu_share(node), (run_queue::CpuShare{.ran = MilliCpu(1500), .of = MilliCpu(2000)}));
  node.cpu_use = MilliCpu(0);
  EXPECT_EQ(run_queue::cpu_share(node), run_queue::CpuShare{}) << "nothing ran that could be shared out";
}

std::map<unsigned int, unsigned long long> walk(const RunSegments& past, unsigned long long from_ns,
                                                unsigned long long until_ns) {
  std::map<unsigned int, unsigned long long> out;
  for (unsigned int age = 0; age < kRunSegments; ++age) {
    unsigned int slot = 0;
    unsigned long long ran_ns = 0;
    const bool more = step_back(&past, age, from_ns, &until_ns, &slot, &ran_ns) != 0;
    if (ran_ns != 0) out[slot] += ran_ns;
    if (!more) break;
  }
  return out;
}

TEST(RunSegments, AnEmptyPastHasNoRunner) {
  const RunSegments past{};
  EXPECT_TRUE(walk(past, 10, 20).empty());
}

TEST(RunSegments, ContinuousRunningIsOneSegment) {
  RunSegments past{};
  start_segment(&past, 7, 100);
  start_segment(&past, 7, 150);
  start_segment(&past, 8, 200);
  EXPECT_EQ(walk(past, 100, 300), (std::map<unsigned int, unsigned long long>{{7, 100}, {8, 100}}));
  EXPECT_EQ(walk(past, 50, 100).size(), 0U) << "before the first";
  EXPECT_EQ(walk(past, 150, 180), (std::map<unsigned int, unsigned long long>{{7, 30}}));
}

/// As far back as the ring reaches, the result equals a record of each nanosecond.
TEST(RunSegments, EqualAFullRecord) {
  std::mt19937 dice(1);
  const auto roll = [&](int below) { return static_cast<int>(dice() % static_cast<unsigned>(below)); };
  for (int round = 0; round < 2000; ++round) {
    RunSegments past{};
    std::vector<unsigned int> record(1, 0);  // which slot ran in each nanosecond; 0: unknown
    const int segments = roll(80);
    for (int i = 0; i < segments; ++i) {
      const auto slot = 1U + static_cast<unsigned int>(roll(4));
      start_segment(&past, slot, record.size());
      record.insert(record.end(), static_cast<std::size_t>(roll(5)), slot);
    }
    const auto now = record.size(), from = static_cast<std::size_t>(roll(static_cast<int>(now)));
    const auto oldest = past.ring[(past.newest + 1) % kRunSegments].from_ns;
    std::map<unsigned int, unsigned long long> expected;
    for (auto i = std::max<std::size_t>(from, oldest); i < now; ++i)
      if (record[i] != 0) ++expected[record[i]];
    EXPECT_EQ(walk(past, from, now), expected) << "round " << round;
  }
}

}  // namespace
}  // namespace evenkeel
