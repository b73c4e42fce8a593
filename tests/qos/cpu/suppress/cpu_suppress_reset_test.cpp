// For a tick the kernel holds what best effort had without suppression: systemd has reset it, or proof
// withholds it. That is no reason to jump to the target: the allowance goes on from what it was.
#include <gtest/gtest.h>

#include "qos/cpu/suppress/suppress.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;

/// 64 CPUs, of which 41.6 are the threshold.
struct CpuSuppressReset : ::testing::Test {
  NodeSlo slo{};
  NodeSnapshot node = test::node().cpus(64).besteffort().unlimited().cpuset("0-63").build();
  decide::PolicyState state{};
  decide::Intents out{};

  CpuSuppressReset() { slo.threshold.enable = true; }
  CgroupSample& directory() { return node.cgroups[static_cast<std::size_t>(node.besteffort)]; }
  std::optional<QuotaTime> owners{};  ///< quota; absent: unlimited
  void reset() {
    directory().applied.cpu_limit->quota = owners;
    directory().applied.cpus = directory().applied.cpus_effective = test::cpu_list("0-63");
  }
  /// One second later.
  void decide(MilliCpu use) {
    node.at += seconds(1);
    node.since_previous = seconds(1);
    node.node.cpu_use = use;
    out.clear();
    test::decide_one(suppress::cpu_suppress_policy, node, slo, state, out);
    test::obey(node, out);
  }
  std::int64_t quota(MilliCpu use) {
    decide(use);
    return test::intended(out, directory().id, Knob::cpu_quota);
  }
  std::string cpus(MilliCpu use) {
    decide(use);
    return directory().applied.cpus->text();
  }
};

TEST_F(CpuSuppressReset, TheQuotaGoesOnFromWhatItWas) {
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  for (int i = 0; i < 10; ++i) ASSERT_EQ(quota(10000_mcpu), 3160000);
  ASSERT_EQ(quota(38000_mcpu), 360000);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(quota(10000_mcpu), 360000);
  reset();
  EXPECT_EQ(quota(10000_mcpu), 360000) << "the recovery time is not over";
  EXPECT_EQ(quota(10000_mcpu), 1000000) << "a tenth of the node per second";
  reset();
  EXPECT_EQ(quota(10000_mcpu), 1640000);
}

TEST_F(CpuSuppressReset, AlsoWhereTheOwnerHasAQuota) {
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  owners = QuotaTime(3200000);
  reset();
  for (int i = 0; i < 10; ++i) quota(10000_mcpu);
  ASSERT_EQ(quota(38000_mcpu), 360000);
  reset();
  EXPECT_EQ(quota(10000_mcpu), 360000);
}

TEST_F(CpuSuppressReset, SoDoesTheCpuSet) {
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cpuset;
  for (int i = 0; i < 20; ++i) cpus(10000_mcpu);
  const std::string before = cpus(38000_mcpu);
  ASSERT_EQ(test::cpu_list(before.c_str()).size(), 4U);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cpus(10000_mcpu), before);
  reset();
  EXPECT_EQ(cpus(10000_mcpu), before) << "the recovery time is not over";
  EXPECT_EQ(test::cpu_list(cpus(10000_mcpu).c_str()).size(), 11U) << "a tenth of the node per second";
}

TEST_F(CpuSuppressReset, WhatTheOtherLeverWantedIsForgotten) {
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  ASSERT_EQ(quota(38000_mcpu), 360000);
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cpuset;
  for (int i = 0; i < 20; ++i) cpus(10000_mcpu);
  ASSERT_EQ(test::cpu_list(cpus(10000_mcpu).c_str()).size(), 32U);
  reset();
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  EXPECT_EQ(quota(10000_mcpu), 3160000);
}

}  // namespace
}  // namespace evenkeel
