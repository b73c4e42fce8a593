#include <gtest/gtest.h>

#include "qos/cpu/burst/burst.h"
#include "qos/cpu/burst/parts.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;

std::vector<burst::CpuBurstState::Candidate> growing(std::initializer_list<std::int64_t> demands) {
  std::vector<burst::CpuBurstState::Candidate> candidates;
  for (const std::int64_t milli : demands)
    candidates.push_back({.operation = burst::BurstOperation::up,
                          .quota_burst = true,
                          .base = 100000_us_cpu,
                          .ceiling = 900000_us_cpu,
                          .target = QuotaTime(100000 + milli * 100),
                          .current = 100000_us_cpu,
                          .period = milliseconds(100)});
  return candidates;
}

std::vector<std::int64_t> granted(const std::vector<burst::CpuBurstState::Candidate>& candidates) {
  std::vector<std::int64_t> result;
  for (const auto& one : candidates) result.push_back((one.target.count() - 100000) / 100);
  return result;
}

TEST(GrowthBudget, SmallWishesAreMetAndLargeOnesShareTheRest) {
  auto candidates = growing({50, 400, 100, 900});
  std::size_t turn = 0;
  burst::divide_growth_budget(candidates, 950_mcpu, turn);
  EXPECT_EQ(granted(candidates), (std::vector<std::int64_t>{50, 400, 100, 400}));
  candidates = growing({500, 500, 500});
  burst::divide_growth_budget(candidates, 900_mcpu, turn);
  EXPECT_EQ(granted(candidates), (std::vector<std::int64_t>{300, 300, 300}));
}

TEST(GrowthBudget, TheLargestStepAloneAlwaysFits) {
  auto candidates = growing({800});
  std::size_t turn = 0;
  burst::divide_growth_budget(candidates, 100_mcpu, turn);
  EXPECT_EQ(granted(candidates), (std::vector<std::int64_t>{800}));
}

TEST(GrowthBudget, WhatCannotBeDividedGoesRound) {
  std::size_t turn = 0;
  std::vector<std::int64_t> sum(5);
  for (int tick = 0; tick < 5; ++tick) {
    auto candidates = growing({2, 2, 2, 2, 2});
    burst::divide_growth_budget(candidates, 2_mcpu, turn);
    const auto got = granted(candidates);
    for (std::size_t i = 0; i < 5; ++i) sum[i] += got[i];
  }
  EXPECT_EQ(sum, (std::vector<std::int64_t>{2, 2, 2, 2, 2}));
}

TEST(GrowthBudget, LimitsAStampede) {
  auto builder = test::node().cpus(16).uses(1000_mcpu);
  for (int i = 0; i < 20; ++i)
    builder.pod("web").container("main").limit(2000_mcpu).quota(200000).throttled(3);
  const NodeSnapshot snapshot = builder.build();
  NodeSlo slo;
  slo.cpu_burst.policy = BurstPolicy::automatic;
  decide::PolicyState state;
  decide::Intents out;
  test::decide_one(burst::cpu_burst_policy, snapshot, slo, state, out);
  ASSERT_EQ(out.all().size(), 20U);
  std::int64_t grown = 0;
  for (const decide::Intent& intent : out.all()) {
    EXPECT_GT(std::get<std::int64_t>(intent.value), 200000);
    grown += std::get<std::int64_t>(intent.value) - 200000;
  }
  EXPECT_EQ(grown, 160000);  // 1.6 CPUs, a tenth of the node
}

}  // namespace
}  // namespace evenkeel
