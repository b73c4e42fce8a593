// The reason that is shown for a value is the one that put it into the file: a wish that the kernel's rules
// do not let through is not explained as if it held.
#include <gtest/gtest.h>

#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

class ExecutorReasons : public ::testing::Test, public ExecutorNode {
 protected:
  ExecutorReasons() : ExecutorNode(false) {}
  [[nodiscard]] std::string reason_of(const std::string& path, Knob knob) const {
    for (const auto& value : executor.managed())
      if (value.cgroup == id(path) && value.knob == knob) return value.why.text();
    return "not held";
  }
};

TEST_F(ExecutorReasons, SharesThatAnIdleGroupCannotHave) {
  want(kPod, Knob::cpu_shares, std::int64_t{800});
  const std::string asked = plan.front().why.text();
  tick();
  EXPECT_EQ(reason_of(kPod, Knob::cpu_shares), asked);
  want(kPod, Knob::cpu_idle, std::int64_t{1});
  for (int i = 0; i < 2; ++i) {
    tick();
    EXPECT_EQ(kernel.text(kPod, "cpu.shares"), "3");
    EXPECT_EQ(reason_of(kPod, Knob::cpu_shares),
              "a cgroup with cpu.idle has no shares of its own: they come back when cpu.idle ends");
  }
  std::erase_if(plan, [](const decide::Intent& intent) { return intent.knob == Knob::cpu_idle; });
  tick();
  EXPECT_EQ(kernel.text(kPod, "cpu.shares"), "800");
  EXPECT_EQ(reason_of(kPod, Knob::cpu_shares), asked);
}

TEST_F(ExecutorReasons, AQuotaThatTheOneAboveCuts) {
  want(kBe, Knob::cpu_quota, std::int64_t{100000});
  want(kPod, Knob::cpu_quota, std::int64_t{150000});
  for (int i = 0; i < 2; ++i) {
    tick();
    EXPECT_EQ(kernel.text(kPod, "cpu.cfs_quota_us"), "100000");
    EXPECT_EQ(reason_of(kPod, Knob::cpu_quota), "no cgroup may have more than its parent");
  }
}

}  // namespace
}  // namespace evenkeel::test
