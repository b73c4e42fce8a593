// What keeps evictions from becoming a storm: one at a time, tokens, rest for owners, patience.
#include <gtest/gtest.h>

#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/evicting_node.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;
using test::operator""_GiB;

struct EvictionBrakes : ::testing::Test, test::EvictingNode {
  EvictionBrakes() : EvictingNode({FeatureGate::be_memory_evict}) { used(90_GiB); }
  const eviction::EvictionVerdict& memory() { return verdict("memory-evict"); }
};

TEST_F(EvictionBrakes, FiveAtOnceAndThenOneInFifteenSeconds) {
  for (int i = 0; i < 9; ++i) pod("p" + std::to_string(i), 1_GiB);
  for (int i = 0; i < 5; ++i) {
    const auto name = victim_within(5);
    EXPECT_EQ(name, "p" + std::to_string(8 - i));
    gone(name);
  }
  // Five departures at four seconds each have taken sixteen seconds: one token came back meanwhile.
  const auto sixth = victim_within(5);
  EXPECT_EQ(sixth, "p3");
  gone(sixth);
  EXPECT_EQ(victim_within(5), "");
  EXPECT_EQ(memory().outcome.text().find("waits"), 0U) << memory().outcome.text();
  EXPECT_NE(memory().outcome.text().find("too many evictions"), std::string::npos);
  EXPECT_EQ(victim_within(15), "p2");
}

TEST_F(EvictionBrakes, ARefusalCostsNoToken) {
  for (int i = 0; i < 8; ++i) pod("guarded" + std::to_string(i), 2_GiB);
  pod("free", 1_GiB);
  for (int i = 0; i < 8; ++i) {
    const auto name = victim();
    ASSERT_EQ(name.find("guarded"), 0U);
    eviction::skip_pod(state, name, node.at + seconds(100));
  }
  EXPECT_EQ(victim(), "free");
}

TEST_F(EvictionBrakes, AnOwnerRestsAMinute) {
  for (const char* name : {"a", "b", "c"}) pod(name, 3_GiB).eviction.owner_uid = "job";
  pod("other", 1_GiB).eviction.owner_uid = "other-job";
  EXPECT_EQ(victim(), "c");
  gone("c");
  EXPECT_EQ(victim_within(5), "other") << "although it is smaller";
  gone("other");
  EXPECT_EQ(victim_within(50), "");
  EXPECT_NE(memory().outcome.text().find("the owner of 2 has just lost a pod"), std::string::npos)
      << memory().outcome.text();
  EXPECT_EQ(victim_within(15), "b");
}

TEST_F(EvictionBrakes, PatienceIsTheGraceAndSomeMore) {
  pod("slow", 9_GiB).eviction.grace = seconds(300);
  pod("next", 1_GiB);
  ASSERT_EQ(victim(), "slow");
  EXPECT_EQ(victim_within(329), "");
  EXPECT_EQ(victim(), "next");
  EXPECT_EQ(memory().outcome.text(), "the eviction of a pod is requested now");
}

TEST_F(EvictionBrakes, WhoHasEndedButStaysIsNotChosenAgain) {
  pod("restarted", 9_GiB);
  pod("next", 1_GiB);
  ASSERT_EQ(victim(), "restarted");
  eviction::ended(state, "next", node.at);
  ASSERT_TRUE(state.pending) << "that one was not asked";
  eviction::ended(state, "restarted", node.at);
  EXPECT_EQ(victim_within(4), "next");
}

TEST_F(EvictionBrakes, SaysWhatIsWaitedForAndWhatIsOff) {
  pod("a", 1_GiB);
  ASSERT_EQ(victim(), "a");
  EXPECT_EQ(victim(7), "");
  EXPECT_EQ(memory().outcome.text(), "waits for the pod whose eviction was requested 7 s ago to terminate");
  gone("a");
  EXPECT_EQ(victim(), "");
  EXPECT_EQ(memory().outcome.text(), "waits 4 s until the effect of the last eviction is measured");
  used(10_GiB);
  EXPECT_EQ(victim(), "");
  EXPECT_EQ(memory().why.text(), "the node uses 10 GiB of 100 GiB memory, the threshold is 70 %");
  EXPECT_EQ(memory().outcome.text(), "no pod must be evicted");
  node.pods_stale = true;
  EXPECT_EQ(victim(), "");
  EXPECT_EQ(memory().why.text(), "the list of pods is too old to decide on");
}

TEST_F(EvictionBrakes, ASteadyTickAllocatesNothing) {
  for (int i = 0; i < 40; ++i) {
    Pod& one = pod("protected-by-its-owner-number-" + std::to_string(i), 1_GiB);
    one.eviction.by = static_cast<std::uint8_t>(i % 2 == 0 ? 0 : 0xff);
    one.eviction.gang.name = "a-gang-with-a-name-that-is-long-" + std::to_string(i % 3);
    if (i % 2 == 1) cgroup(one.name).memory.anonymous.reset();
  }
  slo.evenkeel.feature_gates.fill(true);
  slo.threshold.evict_enabled_priority_threshold = 5999;
  slo.threshold.cpu_evict_threshold_percent = 50_pct;
  slo.threshold.cpu_evict_be_satisfaction_lower_percent = 30_pct;
  slo.threshold.cpu_evict_be_satisfaction_upper_percent = 40_pct;
  node.node.cpu_use = 90000_mcpu;
  EXPECT_EQ(victim_within(100), "");
  const test::AllocGuard guard;
  EXPECT_FALSE(decide());
  EXPECT_EQ(guard.allocations(), 0U);
  EXPECT_TRUE(memory().needed);
}

}  // namespace
}  // namespace evenkeel
