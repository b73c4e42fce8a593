// Worked examples of the Koordinator reference: static burst, quota steps, matrix, node state, token bucket.
#include <gtest/gtest.h>

#include "qos/cpu/burst/parts.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using enum burst::BurstOperation;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::node;

constexpr Duration kPeriod = milliseconds(100);

TEST(StaticBurst, IsAPercentageOfTheLimit) {
  EXPECT_EQ(burst::static_burst(1000_mcpu, 1000_pct, kPeriod), 1000000_us_cpu);
  EXPECT_EQ(burst::static_burst(2500_mcpu, 1000_pct, kPeriod), 2500000_us_cpu);
  EXPECT_EQ(burst::static_burst(500_mcpu, 200_pct, kPeriod), 100000_us_cpu);
  EXPECT_EQ(burst::static_burst(1_mcpu, 1000_pct, kPeriod), 1000_us_cpu);
  EXPECT_EQ(burst::static_burst(4000_mcpu, 50_pct, kPeriod), 200000_us_cpu);
  EXPECT_EQ(burst::static_burst(333_mcpu, 100_pct, kPeriod), 33300_us_cpu);
  EXPECT_EQ(burst::static_burst(0_mcpu, 1000_pct, kPeriod), 0_us_cpu);
  EXPECT_EQ(burst::static_burst(1000_mcpu, 100_pct, milliseconds(20)), 20000_us_cpu);
}

TEST(QuotaBurst, BaseIsTheLimitButAtLeastWhatTheKernelTakes) {
  EXPECT_EQ(burst::base_quota(2000_mcpu, kPeriod), 200000_us_cpu);
  EXPECT_EQ(burst::base_quota(1_mcpu, kPeriod), 1000_us_cpu);
  EXPECT_EQ(burst::base_quota(2000_mcpu, milliseconds(50)), 100000_us_cpu);
}

TEST(QuotaBurst, CeilingIsNeverBelowTheBase) {
  EXPECT_EQ(burst::burst_ceiling(200000_us_cpu, 300_pct), 600000_us_cpu);
  EXPECT_EQ(burst::burst_ceiling(100000_us_cpu, 110_pct), 110000_us_cpu);
  EXPECT_EQ(burst::burst_ceiling(100000_us_cpu, 100_pct), 100000_us_cpu);
  EXPECT_EQ(burst::burst_ceiling(100000_us_cpu, 50_pct), 100000_us_cpu);
}

QuotaTime step(std::int64_t current, burst::BurstOperation operation, std::int64_t base = 200000,
               std::int64_t percent = 300) {
  std::optional<QuotaTime> in_force;
  if (current >= 0) in_force = QuotaTime(current);
  const QuotaTime from(base);
  return burst::quota_target(in_force, operation, seconds(1), from,
                             burst::burst_ceiling(from, Percent(percent)));
}

TEST(QuotaBurst, StepsUpByAFifth) {
  std::int64_t quota = 200000;
  for (const std::int64_t next : {240000, 288000, 345600, 414720, 497664, 597196, 600000, 600000}) {
    EXPECT_EQ(step(quota, up).count(), next);
    quota = next;
  }
}

TEST(QuotaBurst, StepsDownByAFifth) {
  std::int64_t quota = 600000;
  for (const std::int64_t next : {480000, 384000, 307200, 245760, 200000, 200000}) {
    EXPECT_EQ(step(quota, down).count(), next);
    quota = next;
  }
}

TEST(QuotaBurst, StaysBetweenBaseAndCeiling) {
  EXPECT_EQ(step(580000, up).count(), 600000);
  EXPECT_EQ(step(202000, down).count(), 200000);
  for (const burst::BurstOperation any : {up, remain, down}) EXPECT_EQ(step(-1, any).count(), 200000);
  EXPECT_EQ(step(700000, remain).count(), 600000);
  EXPECT_EQ(step(700000, down).count(), 560000);
  EXPECT_EQ(step(100000, remain).count(), 200000);
  EXPECT_EQ(step(150000, up, 150000).count(), 180000);
  EXPECT_EQ(step(333333, up, 150000).count(), 399999);
  EXPECT_EQ(step(100000, up, 100000, 100).count(), 100000);
  EXPECT_EQ(step(100000, up, 100000, 110).count(), 110000);
  EXPECT_EQ(step(1000, up, 1000).count(), 1200);
}

TEST(QuotaBurst, ALongTickIsManyStepsAndAShortOneAPart) {
  const auto after = [](Duration elapsed, burst::BurstOperation operation, std::int64_t from) {
    return burst::quota_target(QuotaTime(from), operation, elapsed, 200000_us_cpu, 600000_us_cpu).count();
  };
  EXPECT_EQ(after(seconds(3), up, 200000), 345600);
  EXPECT_EQ(after(seconds(3), down, 600000), 307200);
  EXPECT_EQ(after(std::chrono::hours(1), up, 200000), 600000);
  EXPECT_EQ(after(std::chrono::hours(1), down, 600000), 200000);
  EXPECT_EQ(after(Duration{}, up, 200000), 200000);
  const std::int64_t half = after(milliseconds(500), up, 200000);
  EXPECT_NEAR(static_cast<double>(half), 219089, 1);  // 200000 times the square root of 1.2
}

burst::BurstOperation decided(bool tokens, std::optional<std::int64_t> throttled, burst::ShareState state) {
  return burst::node_operation(burst::container_operation(tokens, throttled), state);
}

TEST(QuotaBurst, TheNodeOverrulesTheContainer) {
  EXPECT_EQ(decided(true, 3, burst::ShareState::idle), up);
  EXPECT_EQ(decided(true, 3, burst::ShareState::cooling), remain);
  EXPECT_EQ(decided(true, 3, burst::ShareState::overload), down);
  EXPECT_EQ(decided(true, 0, burst::ShareState::overload), down);
  EXPECT_EQ(decided(false, 3, burst::ShareState::idle), down);
  EXPECT_EQ(decided(true, std::nullopt, burst::ShareState::unknown), remain);
  EXPECT_EQ(decided(true, 3, burst::ShareState::unknown), remain);
  EXPECT_EQ(decided(false, 3, burst::ShareState::unknown), down);
  EXPECT_EQ(decided(true, 0, burst::ShareState::idle), remain);
}

burst::ShareState state_of(const test::SnapshotBuilder& builder) {
  burst::CpuBurstState state;
  return burst::share_pool(builder.build(), 50_pct, state).state;
}

test::SnapshotBuilder owner(test::SnapshotBuilder builder, QosClass qos, MilliCpu request, MilliCpu use) {
  return builder.pod("owner").label(qos).uses(use).container("main").request(request);
}

TEST(SharePool, IsWhatPodsWithCpusOfTheirOwnLeave) {
  const auto small = node().cpus(16).uses(10000_mcpu);
  EXPECT_EQ(state_of(owner(small, QosClass::lsr, 8000_mcpu, 7000_mcpu).pod("web").ls().uses(200_mcpu)),
            burst::ShareState::idle);
  EXPECT_EQ(state_of(owner(small, QosClass::lsr, 8000_mcpu, 5000_mcpu)), burst::ShareState::overload);
  EXPECT_EQ(state_of(owner(small, QosClass::lsr, 8000_mcpu, 6250_mcpu)), burst::ShareState::cooling);
  EXPECT_EQ(state_of(owner(small, QosClass::lse, 16000_mcpu, 8000_mcpu)), burst::ShareState::overload);

  const auto large = owner(node().cpus(64).uses(40000_mcpu), QosClass::lsr, 16000_mcpu, 10000_mcpu);
  auto busy = large, less = large;
  EXPECT_EQ(state_of(busy.pod("batch").be().uses(12000_mcpu)), burst::ShareState::idle);
  EXPECT_EQ(state_of(less.pod("batch").be().uses(6000_mcpu)), burst::ShareState::overload);
}

TEST(SharePool, CountsWhatAPodRequestsForAllItsContainers) {
  auto builder = node().cpus(16).uses(10000_mcpu).pod("owner").label(QosClass::lsr).uses(6250_mcpu);
  auto snapshot = builder.container("main").build();
  auto spec = *snapshot.pods[0].spec;
  spec.pod_level_requests.cpu = 8000_mcpu;
  snapshot.pods[0].spec = &spec;
  burst::CpuBurstState state;
  EXPECT_EQ(burst::share_pool(snapshot, 50_pct, state).state, burst::ShareState::cooling);
}

TEST(SharePool, CoolsFromNineTenthsOfTheThresholdOn) {
  EXPECT_EQ(state_of(node().cpus(16).uses(7200_mcpu)), burst::ShareState::cooling);
  EXPECT_EQ(state_of(node().cpus(16).uses(7190_mcpu)), burst::ShareState::idle);
  EXPECT_EQ(state_of(node().cpus(16).uses(8000_mcpu)), burst::ShareState::overload);
}

TEST(SharePool, UnknownUseStaysUnknown) {
  EXPECT_EQ(state_of(node().cpus(16)), burst::ShareState::unknown);
  EXPECT_EQ(state_of(node().uses(1000_mcpu)), burst::ShareState::unknown);
}

TEST(SharePool, AveragesFiveSecondsWhateverTheTick) {
  for (const Duration tick : {Duration(seconds(1)), Duration(milliseconds(20)), Duration(seconds(2))}) {
    NodeSnapshot snapshot = node().cpus(16).uses(0_mcpu).build();
    snapshot.since_previous = tick;
    burst::CpuBurstState state;
    for (Duration t{}; t < seconds(10); t += tick, snapshot.at += tick)
      burst::share_pool(snapshot, 50_pct, state);
    snapshot.node.cpu_use = 10000_mcpu;
    for (Duration t{}; t < seconds(2); t += tick, snapshot.at += tick)
      burst::share_pool(snapshot, 50_pct, state);
    snapshot.at -= tick;
    const auto pool = burst::share_pool(snapshot, 50_pct, state);
    EXPECT_GE(pool.use, 3000_mcpu);
    EXPECT_LE(pool.use, 7000_mcpu);
    snapshot.at += seconds(60);
    EXPECT_EQ(burst::share_pool(snapshot, 50_pct, state).use,
              10000_mcpu);  // what is long past does not count
  }
}

constexpr std::int64_t kSecond = 1'000'000;

struct Bucket {
  std::int64_t capacity, tokens, use;
  Duration elapsed;
  std::int64_t after;
  bool allow;
};

TEST(TokenBucket, EarnsBelowSixtyAndSpendsAboveAHundredPercent) {
  const std::vector<Bucket> cases = {
      {5000, 5000, 150, seconds(10), 4500, true},
      {5000, 50, 200, seconds(10), -950, false},
      {500, 5, 200, seconds(10), -500, false},
      {5000, 500, 40, seconds(10), 1100, true},
      {5000, 4500, 40, seconds(10), 5000, true},
      {120000, 150, 300, seconds(1), -50, false},
      {120000, -50, 80, seconds(1), -50, false},
      {120000, 0, 59, seconds(1), 41, true},
      {0, 0, 10, seconds(10), 0, false},
      {120000, 30000, 300, milliseconds(1900), 29620, true},  // the reference counts 1 s: 29800
  };
  for (const Bucket& one : cases) {
    const MonoTime then{seconds(100)};
    std::optional<burst::TokenBucket> bucket =
        burst::TokenBucket{one.tokens * kSecond, one.capacity * kSecond, then};
    const Percent percent(one.capacity > 0 ? 200 : 100);
    const auto period = one.capacity > 0 ? one.capacity / 100 : 300;
    EXPECT_EQ(burst::update_bucket(bucket, period, percent, one.use, then + one.elapsed), one.allow);
    EXPECT_EQ(bucket->tokens, one.after * kSecond);
  }
}

TEST(TokenBucket, CountsPartsOfASecond) {  // the reference counts nothing of 0.99 s, ever
  const MonoTime then{seconds(100)};
  std::optional<burst::TokenBucket> bucket = burst::TokenBucket{200 * kSecond, 60000 * kSecond, then};
  EXPECT_TRUE(burst::update_bucket(bucket, 300, 300_pct, 299, then + milliseconds(990)));
  EXPECT_EQ(bucket->tokens, 200 * kSecond - 199 * 990'000);
}

TEST(TokenBucket, StartsAQuarterFullAndStartsAgainWhenItsSizeChanges) {
  std::optional<burst::TokenBucket> bucket;
  EXPECT_TRUE(burst::update_bucket(bucket, 300, 300_pct, 80, MonoTime(seconds(1))));
  EXPECT_EQ(bucket->capacity, 60000 * kSecond);
  EXPECT_EQ(bucket->tokens, 15000 * kSecond);
  EXPECT_TRUE(burst::update_bucket(bucket, 600, 300_pct, 80, MonoTime(seconds(2))));
  EXPECT_EQ(bucket->capacity, 120000 * kSecond);
  EXPECT_EQ(bucket->tokens, 30000 * kSecond);
}

TEST(TokenBucket, IsNotNeededWithoutAPeriodAndEmptyWithoutARange) {
  std::optional<burst::TokenBucket> bucket;
  EXPECT_TRUE(burst::update_bucket(bucket, -1, 300_pct, 500, MonoTime(seconds(1))));
  EXPECT_FALSE(bucket);
  EXPECT_FALSE(burst::update_bucket(bucket, 300, 50_pct, 10, MonoTime(seconds(1))));
  EXPECT_FALSE(burst::update_bucket(bucket, 0, 300_pct, 10, MonoTime(seconds(1))));
}

TEST(TokenBucket, SurvivesAbsurdSettings) {
  std::optional<burst::TokenBucket> bucket;
  const auto huge = std::numeric_limits<std::int64_t>::max();
  burst::update_bucket(bucket, huge, Percent(huge), huge, MonoTime(seconds(1)));
  EXPECT_FALSE(burst::update_bucket(bucket, huge, Percent(huge), huge, MonoTime(seconds(1000000))));
  EXPECT_GE(bucket->tokens, -bucket->capacity);
}

}  // namespace
}  // namespace evenkeel
