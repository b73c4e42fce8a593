// Tests the memory brake on a real v2 kernel: a service waits for memory because best effort has filled the
// node, the kernel reports it, best effort's memory.high is cut, and it is restored after the lease and after
// kill -9.
#include <gtest/gtest.h>

#include <memory>

#include "cgroup/reclaim/pressure_trigger.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/crowded_node.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/soon.h"

namespace evenkeel::test {
namespace {

// Filling the "node" from a slow disk takes time.
constexpr std::chrono::seconds kPatience{60};

class LiveMemoryBrake : public testing::Test {
 protected:
  void SetUp() override {
    if (!node_.why_not().empty()) GTEST_SKIP() << node_.why_not();
    if (const auto window = reclaim::shortest_window(node_.cgroups().host(), std::chrono::milliseconds(50));
        !window)
      GTEST_SKIP() << "the kernel gives no trigger: " << errno_name(window.error().code);
    batch_ = node_.fill();
    ASSERT_TRUE(soon([&] { return node_.is_full(); }, kPatience)) << "best effort did not fill the node";
  }
  /// Only the memory brake writes.
  void start() {
    node_.configure(
        "memoryPushBack: {freePercent: 100, stepPercent: 20}, brake: {enable: true, runQueue: false, "
        "cpuPressurePercent: 100, maxDutyPercent: 100, lease: 2s}");
    agent_ = std::make_unique<LiveAgent>(live_args(node_.cgroups(), node_.dir(), "1s"));
    ASSERT_TRUE(agent_->logged("started", kPatience)) << agent_->log();
  }
  [[nodiscard]] bool braked() const { return node_.best_effort("memory.high") != "max\n"; }
  CrowdedNode node_{};
  MemoryHog batch_{};
  std::unique_ptr<LiveAgent> agent_{};
};

TEST_F(LiveMemoryBrake, CutsBestEffortWhileTheServiceWaitsForMemory) {
  start();
  EXPECT_FALSE(agent_->logged("braked", std::chrono::seconds(5))) << "no service waits: " << agent_->log();
  const auto had = std::stol(node_.best_effort("memory.current"));
  MemoryHog service = node_.service_works();
  std::string high;
  ASSERT_TRUE(soon(
      [&] {
        high = node_.best_effort("memory.high");
        return high != "max\n";
      },
      kPatience))
      << agent_->log();
  service.stop();
  EXPECT_LT(std::stol(high), had * 11 / 10) << "what it has already, and hardly more: it makes room itself";
  ASSERT_TRUE(agent_->logged("braked", kPatience));
  EXPECT_NE(agent_->log().find("resource=memory source=pressure service=shop/cart"), std::string::npos)
      << agent_->log();
  EXPECT_NE(agent_->log().find("memory.high old=max"), std::string::npos) << agent_->log();
  EXPECT_TRUE(soon([&] { return !braked(); }, kPatience)) << agent_->log();
  EXPECT_EQ(agent_->log().find("resource=cpu"), std::string::npos) << agent_->log();
  const MemoryHog again = node_.service_works();
  ASSERT_TRUE(soon([&] { return braked(); }, kPatience)) << agent_->log();
  agent_->kill();
  EXPECT_TRUE(braked());
  EXPECT_EQ(run_evenkeel({"restore", "--state-dir", node_.dir().path + "/state"}).exit_status, 0);
  EXPECT_FALSE(braked());
}

}  // namespace
}  // namespace evenkeel::test
