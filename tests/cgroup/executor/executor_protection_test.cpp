// Protection and throttling of memory that an owner set, such as a kubelet with MemoryQoS: no policy takes it
// back.
#include <gtest/gtest.h>

#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

class OwnersMemory : public ::testing::Test, public ExecutorNode {
 protected:
  OwnersMemory() : ExecutorNode(true) {}
  /// What the file holds when a policy asks for `wished` and the owner has set `owners`, and after the stop.
  std::string with(Knob knob, const std::string& file, const std::string& owners, std::int64_t wished) {
    EXPECT_EQ(kernel.other(kPod, file, owners), 0);
    plan.clear();
    want(kPod, knob, wished);
    std::string out;
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(tick().refusals.empty());
      out = kernel.text(kPod, file);
    }
    executor.restore_all(now);
    EXPECT_EQ(kernel.text(kPod, file), owners) << file;
    EXPECT_EQ(journal.size(), 0U);
    return out;
  }
};

TEST_F(OwnersMemory, MoreProtectionThanAPolicyWantsIsKept) {
  EXPECT_EQ(with(Knob::memory_low, "memory.low", "67108864", 0), "67108864");
  EXPECT_EQ(with(Knob::memory_min, "memory.min", "67108864", 4194304), "67108864");
}

// Nothing is held then, so `explain` has no row of it; it must not be silent all the same.
TEST_F(OwnersMemory, WhatIsKeptIsSaid) {
  ASSERT_EQ(kernel.other(kPod, "memory.low", "67108864"), 0);
  ASSERT_EQ(kernel.other(kPod, "memory.high", "134217728"), 0);
  want(kPod, Knob::memory_low, std::int64_t{4194304});
  want(kPod, Knob::memory_high, std::int64_t{268435456});
  for (int i = 0; i < 2; ++i) {
    tick();
    EXPECT_TRUE(executor.managed().empty());
    const auto kept = executor.kept();
    ASSERT_EQ(kept.size(), 2U);
    EXPECT_EQ(kept[0].path.substr(kept[0].path.rfind('/')), "/memory.high");
    EXPECT_EQ(kept[0].owners, "134217728");
    EXPECT_EQ(kept[0].wanted, "268435456");
    EXPECT_EQ(kept[1].cgroup, id(kPod));
    EXPECT_EQ(kept[1].owners, "67108864");
    EXPECT_EQ(kept[1].wanted, "4194304");
    EXPECT_EQ(kept[1].why.text(), "its owner's own value goes further");
  }
  plan.clear();
  want(kPod, Knob::memory_low, std::int64_t{134217728});
  tick();
  EXPECT_TRUE(executor.kept().empty()) << "now the policy's goes further, and is held";
  EXPECT_EQ(executor.managed().size(), 1U);
  plan.clear();
  want(kPod, Knob::memory_low, std::int64_t{4194304});
  tick();
  ASSERT_EQ(executor.managed().size(), 1U);
  EXPECT_EQ(executor.managed()[0].why.text(), "its owner's own value goes further") << "still on record";
  plan.clear();
  tick();
  EXPECT_TRUE(executor.kept().empty()) << "no policy wants anything";
}

TEST_F(OwnersMemory, LessIsRaisedToWhatThePolicyWants) {
  EXPECT_EQ(with(Knob::memory_low, "memory.low", "4194304", 67108864), "67108864");
}

TEST_F(OwnersMemory, TheLowerOfTwoThrottlesCounts) {
  EXPECT_EQ(with(Knob::memory_high, "memory.high", "67108864", 134217728), "67108864");
  EXPECT_EQ(with(Knob::memory_high, "memory.high", "134217728", 67108864), "67108864");
  EXPECT_EQ(with(Knob::memory_high, "memory.high", "max", 67108864), "67108864");
}

// The value before the agent's counts, not the agent's own earlier one.
TEST_F(OwnersMemory, AWishThatBecomesSmallerIsFollowed) {
  for (const std::int64_t wished : {134217728, 67108864, 4194304}) {
    plan.clear();
    want(kPod, Knob::memory_low, wished);
    tick();
    EXPECT_EQ(kernel.text(kPod, "memory.low"), std::to_string(wished));
  }
}

}  // namespace
}  // namespace evenkeel::test
