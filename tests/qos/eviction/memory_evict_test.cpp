// BEMemoryEvict and MemoryEvict by the worked examples of the reference, one test each.
#include <gtest/gtest.h>

#include "tests/support/scenes/evicting_node.h"

namespace evenkeel {
namespace {

using namespace literals;
using test::operator""_GB;
using test::operator""_GiB;

struct MemoryEvictTest : ::testing::Test, test::EvictingNode {
  MemoryEvictTest() : EvictingNode({FeatureGate::be_memory_evict}) {}
  void machine(Bytes total, Bytes use) {
    node.node.memory->total = total;
    used(use);
  }
  /// What is to be released now; 0: nothing.
  std::int64_t release(int threshold, std::optional<int> lower) {
    slo.threshold.memory_evict_threshold_percent = Percent(threshold);
    slo.threshold.memory_evict_lower_percent.reset();
    if (lower) slo.threshold.memory_evict_lower_percent = Percent(*lower);
    state = {};
    decide();
    const auto& verdict = this->verdict("memory-evict");
    return verdict.needed ? std::get<Bytes>(verdict.why.numbers[3]).count() : 0;
  }
};

// Of 95.83 % and the like the reference sees whole percents only, and frees up to 1 % of the node less (W13).
TEST_F(MemoryEvictTest, ReleasesWhatIsAboveTheLowerMark) {
  machine(120_GB, 115_GB);
  EXPECT_EQ(release(80, {}), 21'400'000'000) << "1: 20.4 GB of truncated 95 %";
  EXPECT_EQ(release(82, {}), 19'000'000'000) << "2: 18 GB";
  EXPECT_EQ(release(82, 78), 21'400'000'000) << "3: 20.4 GB";
  EXPECT_EQ(release(82, 74), 26'200'000'000) << "4: 25.2 GB";
  EXPECT_EQ(release(50, {}), 57'400'000'000) << "5: 56.4 GB";
  machine(120_GB, 80_GB);
  EXPECT_EQ(release(80, {}), 0);  // 6
  machine(256_GiB, 180_GiB);
  EXPECT_EQ(release(70, {}), (180_GiB - percent_of(256_GiB, 68_pct)).count()) << "7: 2 % instead of 2.3";
  machine(256_GiB, 179_GiB);
  EXPECT_EQ(release(70, {}), 0);  // 8
  machine(256_GiB, 200_GiB);
  EXPECT_EQ(release(70, 60), (200_GiB - percent_of(256_GiB, 60_pct)).count()) << "9: 18 % instead of 18.1";
}

TEST_F(MemoryEvictTest, TheVictimsOfTheReferenceInItsOrder) {
  pod("Z", 10_GB, 120);
  pod("Y", 5_GB, 100);
  pod("X", 20_GB, 100);
  machine(120_GB, 115_GB);
  slo.threshold.memory_evict_threshold_percent = 82_pct;
  slo.threshold.memory_evict_lower_percent = 74_pct;  // 26.2 GB: all three
  EXPECT_EQ(victim(), "X");
  gone("X");
  machine(120_GB, 95_GB);
  EXPECT_EQ(victim_within(5), "Y");
  gone("Y");
  machine(120_GB, 90_GB);
  EXPECT_EQ(victim_within(5), "Z");
}

TEST_F(MemoryEvictTest, OneVictimIsEnoughWhereOneIs) {
  pod("X", 20_GB, 100);
  pod("Y", 5_GB, 100);
  machine(120_GB, 115_GB);
  slo.threshold.memory_evict_threshold_percent = 82_pct;  // 19 GB
  EXPECT_EQ(victim(), "X");
  gone("X");
  machine(120_GB, 95_GB);
  EXPECT_EQ(victim_within(30), "");
}

TEST_F(MemoryEvictTest, ByPriorityItGoesOnUntilItSuffices) {
  // The reference credits a victim with a thousand times its memory, and stops after the first (W12).
  slo.evenkeel.feature_gates = {};
  slo.evenkeel.feature_gates[static_cast<std::size_t>(FeatureGate::memory_evict)] = true;
  pod("a", 2_GiB, 100).eviction.enabled = true;
  pod("b", 1_GiB, 100).eviction.enabled = true;
  pod("service", 9_GiB, 9000).eviction.enabled = true;
  pod("silent", 9_GiB, 1);
  used(80_GiB);
  EXPECT_EQ(victim(), "") << "no priority is configured";
  slo.threshold.evict_enabled_priority_threshold = 5999;
  const auto chosen = decide();
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->name, "a");
  EXPECT_EQ(chosen->by, "memory-priority-evict");
  EXPECT_EQ(chosen->gate, FeatureGate::memory_evict);
  gone("a");
  used(78_GiB);
  EXPECT_EQ(victim_within(5), "b");
  gone("b");
  used(77_GiB);
  EXPECT_EQ(victim_within(30), "");
}

TEST_F(MemoryEvictTest, MemoryComesBeforeCpu) {
  slo.evenkeel.feature_gates.fill(true);
  slo.threshold.evict_enabled_priority_threshold = 5999;
  slo.threshold.cpu_evict_threshold_percent = 50_pct;
  node.node.cpu_use = 90000_mcpu;
  pod("a", 2_GiB, 100).eviction.enabled = true;
  cgroup("a").cpu_use = 1000_mcpu;
  node.pods_stale = true;
  EXPECT_EQ(victim_within(30), "");
  node.pods_stale = false;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(decide());
  used(80_GiB);
  const auto chosen = decide();
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->by, "memory-evict");
}

}  // namespace
}  // namespace evenkeel
