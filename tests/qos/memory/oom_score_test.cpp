// Which containers get which oom_score_adj.
#include <gtest/gtest.h>

#include "qos/memory/policies.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

NodeSlo switched_on() {
  NodeSlo slo;
  slo.evenkeel.oom_score_adj = true;
  return slo;
}

/// The planned values, in the order of the containers.
std::vector<int> planned(const NodeSnapshot& snapshot, const NodeSlo& slo) {
  decide::Intents out;
  decide::PolicyState state;
  test::decide_one(memory::oom_score_policy, snapshot, slo, state, out);
  std::vector<int> values;
  for (const auto& member : out.oom_scores().members) {
    values.push_back(member.value);
    EXPECT_EQ(member.why.text(), "the pod asks for an oom_score_adj of " + std::to_string(member.value));
  }
  return values;
}

TEST(OomScorePolicy, IsOffUnlessItIsSwitchedOn) {
  EXPECT_FALSE(memory::oom_score_policy.enabled(NodeSlo{}));
  EXPECT_TRUE(memory::oom_score_policy.enabled(switched_on()));
}

TEST(OomScorePolicy, FollowsBestEffortAndNobodyElse) {
  const auto wish = [] {
    return test::node()
        .besteffort()
        .pod("batch")
        .be()
        .container("one")
        .oom_score(900)
        .container("two")
        .oom_score(-5)
        .container("silent")
        .pod("web")
        .ls()
        .container("main")
        .oom_score(800);
  };
  EXPECT_EQ(planned(wish().build(), switched_on()), (std::vector{900, -5}));
  EXPECT_EQ(planned(wish().pod("x").be().container("c").oom_score(1).hands_off().build(), switched_on()),
            (std::vector{900, -5}))
      << "a pod that is not to be touched";
  EXPECT_EQ(
      planned(
          wish().pod("x").label(QosClass::be).kube(KubeQos::burstable).container("c").oom_score(7).build(),
          switched_on()),
      (std::vector{900, -5, 7}))
      << "best effort by its label";
  auto excluded = switched_on();
  excluded.evenkeel.hands_off = true;
  EXPECT_TRUE(planned(wish().build(), excluded).empty());
}

}  // namespace
}  // namespace evenkeel
