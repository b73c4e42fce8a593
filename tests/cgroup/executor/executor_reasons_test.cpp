// The reason that is shown for a value is the one that put it into the file: a wish that the kernel's rules
// do not let through is not explained as if it held, and a policy that did not ask is not named.
#include <gtest/gtest.h>

#include "qos/decide/policy.h"
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
  [[nodiscard]] std::string policy_of(const std::string& path, Knob knob) const {
    for (const auto& value : executor.managed())
      if (value.cgroup == id(path) && value.knob == knob) return std::string(decide::policy_name(value.by));
    return "not held";
  }
  /// The owner gives the pod a burst that fits only into the quota that the agent has set.
  void raise_quota_and_burst() {
    kernel.at(kPod).quota_us = 100000;
    want(kPod, Knob::cpu_quota, std::int64_t{200000});
    tick();
    ASSERT_EQ(kernel.other(kPod, "cpu.cfs_burst_us", "150000"), 0);
  }
  void expect_restored_with_its_burst(const executor::Report& report) const {
    ASSERT_EQ(report.writes.size(), 2U);
    EXPECT_EQ(report.writes[0].knob, Knob::cpu_burst);
    EXPECT_EQ(report.writes[0].new_text, "100000");
    EXPECT_EQ(report.writes[0].why.text(), "a burst may not be larger than the quota");
    EXPECT_EQ(decide::policy_name(report.writes[0].by), "restore");
    EXPECT_EQ(report.writes[1].knob, Knob::cpu_quota);
    EXPECT_EQ(report.writes[1].by, 1) << "the policy that asked for it until now";
    EXPECT_EQ(policy_of(kPod, Knob::cpu_burst), "restore");
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

TEST_F(ExecutorReasons, WhatARestoredValueRequiresIsNoPolicys) {
  raise_quota_and_burst();
  plan.clear();
  expect_restored_with_its_burst(tick());
}

TEST_F(ExecutorReasons, WhatAStopRequiresIsNoPolicys) {
  raise_quota_and_burst();
  expect_restored_with_its_burst(executor.restore_all(now));
}

TEST_F(ExecutorReasons, SharesOfAGroupThatItsOwnerKeepsIdleAreNoPolicys) {
  ASSERT_EQ(kernel.other(kPod, "cpu.idle", "1"), 0);
  want(kPod, Knob::cpu_idle, std::int64_t{0});
  tick();
  plan.clear();
  tick();
  EXPECT_EQ(kernel.text(kPod, "cpu.idle"), "1");
  EXPECT_EQ(policy_of(kPod, Knob::cpu_shares), "restore");
}

}  // namespace
}  // namespace evenkeel::test
