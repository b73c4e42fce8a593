// Tests push-back on a real v2 kernel: a service that needs memory waits less while best effort's memory is
// reclaimed, and everything is restored.
#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "tests/support/live/agent_args.h"
#include "tests/support/live/crowded_node.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/soon.h"

namespace evenkeel::test {
namespace {

// Filling the "node" from a slow disk takes time.
constexpr std::chrono::seconds kPatience{60};

class LivePushBack : public testing::Test {
 protected:
  void SetUp() override {
    if (!node_.why_not().empty()) GTEST_SKIP() << node_.why_not();
    node_.configure(
        "memoryPushBack: {enable: true, pressureSomePercent: 1, pressureFullPercent: 2, freePercent: 100, "
        "stepPercent: 20}");
  }
  [[nodiscard]] long stall_over_ten_seconds() const {
    const long from = node_.stall_us();
    std::this_thread::sleep_for(std::chrono::seconds(10));
    return node_.stall_us() - from;
  }
  CrowdedNode node_{};
};

TEST_F(LivePushBack, AServiceWaitsLessForMemoryWithPushBack) {
  const MemoryHog batch = node_.fill();
  const MemoryHog service = node_.service_works();
  ASSERT_TRUE(soon([&] { return node_.is_full(); }, kPatience)) << "best effort did not fill the node";
  const long off = stall_over_ten_seconds();
  const auto had = std::stol(node_.best_effort("memory.current"));
  LiveAgent agent(live_args(node_.cgroups(), node_.dir(), "500ms"));
  EXPECT_TRUE(soon([&] { return node_.best_effort("memory.high") != "max\n"; }, kPatience)) << agent.log();
  std::this_thread::sleep_for(std::chrono::seconds(10));
  const long on = stall_over_ten_seconds();
  const auto has = std::stol(node_.best_effort("memory.current"));
  std::printf(
      "a service that touches 128 MiB again and again waits for memory %ld us in ten seconds without "
      "push-back, %ld us with it; best effort has %ld MiB and %ld MiB\n",
      off, on, had >> 20, has >> 20);
  EXPECT_GT(off, 50000) << "nothing to show: the service did not wait";
  EXPECT_LT(on * 2, off) << agent.log();
  EXPECT_LT(has, had);
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(node_.best_effort("memory.high"), "max\n");
}

}  // namespace
}  // namespace evenkeel::test
