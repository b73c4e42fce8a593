// Gangs: what is broken already goes first, and as few as possible are broken.
#include <gtest/gtest.h>

#include "qos/eviction/choice.h"
#include "tests/support/scenes/evicting_node.h"

namespace evenkeel {
namespace {

using namespace literals;
using test::operator""_GiB;

struct GangTest : ::testing::Test, test::EvictingNode {
  GangTest() : EvictingNode({FeatureGate::be_memory_evict}) { used(90_GiB); }
  Pod& member(const std::string& name, Bytes held, const std::string& gang,
              std::optional<std::int64_t> needed = {}, std::optional<std::int64_t> total = {}) {
    Pod& spec = pod(name, held, 5000);
    spec.eviction.gang = {"batch/" + gang, needed, total};
    return spec;
  }
  eviction::GangState standing(const std::string& name) {
    return eviction::gang_state(node, state, spec_of(name));
  }
};

TEST_F(GangTest, AFailedMemberBreaksTheGangsThatNeedIt) {
  member("a", 1_GiB, "g");
  member("b", 1_GiB, "g");
  EXPECT_EQ(standing("a"), eviction::GangState::whole) << "not said how many are needed: all";
  spec_of("b").phase = PodPhase::failed;
  EXPECT_EQ(standing("a"), eviction::GangState::broken);
  spec_of("b").phase = PodPhase::succeeded;
  EXPECT_EQ(standing("a"), eviction::GangState::whole) << "who is done is not missed";
  EXPECT_EQ(standing("none"), eviction::GangState::whole);
  spec_of("a").eviction.gang = {};
  EXPECT_EQ(standing("a"), eviction::GangState::spare);
}

TEST_F(GangTest, MoreThanItNeedsAreToSpare) {
  for (const char* name : {"a", "b", "c"}) member(name, 1_GiB, "g", 2);
  EXPECT_EQ(standing("a"), eviction::GangState::spare);
  spec_of("c").terminating = true;
  EXPECT_EQ(standing("a"), eviction::GangState::whole) << "two are left here, and two are needed";
  spec_of("b").terminating = true;
  EXPECT_EQ(standing("a"), eviction::GangState::broken);
}

TEST_F(GangTest, ATotalAboveTheNeedIsToSpareToo) {
  for (const char* name : {"a", "b"}) member(name, 1_GiB, "g", 8, 10);  // eight are elsewhere
  EXPECT_EQ(standing("a"), eviction::GangState::spare);
  state.recent_evictions = {{"x", "", "batch/g", node.at}, {"y", "", "batch/g", node.at}};
  EXPECT_EQ(standing("a"), eviction::GangState::whole);
  state.recent_evictions.push_back({"z", "", "batch/g", node.at});
  EXPECT_EQ(standing("a"), eviction::GangState::broken);
}

TEST_F(GangTest, ABrokenGangGoesBeforeOthersAndAWholeOneLast) {
  member("whole", 9_GiB, "whole");
  pod("single", 5_GiB, 5000);
  member("broken", 1_GiB, "broken", 2);
  member("failed", 1_GiB, "broken", 2).phase = PodPhase::failed;
  for (const char* name : {"broken", "single", "whole"}) {
    EXPECT_EQ(victim_within(6), name);
    gone(name);
  }
}

TEST_F(GangTest, NeverBeforeALowerPriority) {
  member("broken", 9_GiB, "broken").priority = 5001;
  member("failed", 1_GiB, "broken").phase = PodPhase::failed;
  pod("single", 1_GiB, 5000);
  EXPECT_EQ(victim(), "single");
}

TEST_F(GangTest, AsFewGangsAsPossibleAreBroken) {
  // The largest pod is of a gang that has less to give; once a gang is broken its members go first, although
  // their owner has just lost one.
  member("s1", 6_GiB, "small").eviction.owner_uid = "s";
  for (const char* name : {"b1", "b2", "b3"}) member(name, 3_GiB, "big").eviction.owner_uid = "b";
  for (const char* name : {"b3", "b2", "b1", "s1"}) {
    EXPECT_EQ(victim_within(20), name);
    gone(name);
  }
}

}  // namespace
}  // namespace evenkeel
