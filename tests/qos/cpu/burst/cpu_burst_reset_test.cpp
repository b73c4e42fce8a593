// For a tick the kernel holds the owner's quotas again: systemd has reset them, or proof withholds burst. A
// raised quota goes on from what it was.
#include <gtest/gtest.h>

#include "qos/cpu/burst/burst.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;

/// A throttled container of two CPUs that has been raised to six, on a node of 64.
struct CpuBurstReset : ::testing::Test {
  NodeSlo slo{};
  NodeSnapshot node = test::node()
                          .cpus(64)
                          .uses(8000_mcpu)
                          .pod("web")
                          .ls()
                          .quota(200000)
                          .container("busy")
                          .limit(2000_mcpu)
                          .quota(200000)
                          .uses(2000_mcpu)
                          .throttled(3)
                          .build();
  decide::PolicyState state{};
  decide::Intents out{};

  CpuBurstReset() {
    slo.cpu_burst.policy = BurstPolicy::cfs_quota_burst_only;
    for (int i = 0; i < 10; ++i) decide();
  }
  CgroupSample& container() { return node.cgroups[static_cast<std::size_t>(node.containers.front().cgroup)]; }
  CgroupSample& pod() { return node.cgroups[static_cast<std::size_t>(node.pods.front().cgroup)]; }
  /// One second later.
  void decide() {
    node.at += seconds(1);
    node.since_previous = seconds(1);
    out.clear();
    test::decide_one(burst::cpu_burst_policy, node, slo, state, out);
    test::obey(node, out);
  }
  void reset() {
    pod().applied.cpu_limit->quota = 200000_us_cpu;
    container().applied.cpu_limit->quota = 200000_us_cpu;
  }
  std::int64_t quota() { return test::intended(out, container().id, Knob::cpu_quota); }
  std::int64_t pod_quota() { return test::intended(out, pod().id, Knob::cpu_quota); }
  void expect_raised() {
    EXPECT_EQ(quota(), 600000);
    EXPECT_EQ(pod_quota(), 600000);
  }
};

TEST_F(CpuBurstReset, OnAnIdleNodeTheRaisedQuotaIsWantedAtOnce) {
  expect_raised();
  reset();
  decide();
  expect_raised();
}

TEST_F(CpuBurstReset, AlsoWhereNothingMayGrow) {
  node.node.cpu_use = 30000_mcpu;
  for (int i = 0; i < 10; ++i) decide();
  reset();
  decide();
  expect_raised();
}

TEST_F(CpuBurstReset, WhileItIsWithheldItMovesAsIfItWereInForce) {
  node.node.cpu_use = 60000_mcpu;  // on the average of five seconds that is too much from the third on
  for (const std::int64_t wanted : {600000, 600000, 480000, 384000, 307200}) {
    reset();
    decide();
    EXPECT_EQ(quota(), wanted);
  }
}

TEST_F(CpuBurstReset, AfterAResizeItStartsFromTheNewLimit) {
  node.node.cpu_use = 30000_mcpu;
  for (int i = 0; i < 10; ++i) decide();
  expect_raised();
  Pod resized = *node.pods.front().spec;
  resized.containers.front().limits.cpu = 3000_mcpu;
  node.pods.front().spec = &resized;
  node.containers.front().spec = resized.containers.data();
  container().applied.cpu_limit->quota = 300000_us_cpu;
  decide();
  EXPECT_EQ(quota(), 300000);
}

TEST_F(CpuBurstReset, AWriteThatTheKernelRefusedLeavesNoDrift) {
  state = {};
  reset();
  for (int i = 0; i < 5; ++i) {
    decide();
    EXPECT_EQ(quota(), 240000);
    reset();
  }
}

}  // namespace
}  // namespace evenkeel
