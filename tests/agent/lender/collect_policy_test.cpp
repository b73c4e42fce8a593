// Tests how the NodeMetric object sets the measurement of usage, and the handling of settings that cannot be
// served.
#include <gtest/gtest.h>

#include "agent/lender/lending.h"
#include "tests/support/malformed.h"

namespace evenkeel::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Notices = std::vector<std::string>;

std::string asking(const std::string& policy) {
  return R"({"apiVersion":"slo.koordinator.sh/v1alpha1","kind":"NodeMetric","metadata":{"name":"n1"},)"
         R"("spec":{"metricCollectPolicy":)" +
         policy + R"(},"status":{"podsMetric":[]}})";
}
struct Measured {
  ColocationStrategy strategy{};
  Notices notices{};
};
Measured measured(const std::string& policy, ColocationStrategy strategy = {}) {
  const auto asked = lender::collect_policy_in(asking(policy));
  if (!asked) ADD_FAILURE() << policy;
  auto notices = lender::apply_collect_policy(asked.value_or(lender::CollectPolicy{}), strategy);
  return {std::move(strategy), std::move(notices)};
}

TEST(CollectPolicy, ReplacesTheFieldsThatItSets) {
  const auto [strategy, notices] = measured(
      R"({"aggregateDurationSeconds":600,"reportIntervalSeconds":90,"nodeAggregatePolicy":{"durations":)"
      R"(["5m0s","15m"]},"nodeMemoryCollectPolicy":"usageWithPageCache"})");
  EXPECT_EQ(strategy.metric_aggregate_duration_seconds, 600);
  EXPECT_EQ(strategy.metric_report_interval_seconds, 90);
  EXPECT_EQ(strategy.metric_aggregate_durations, (std::vector<Duration>{minutes(5), minutes(15)}));
  EXPECT_EQ(strategy.metric_memory_collect_policy, "usageWithPageCache");
  EXPECT_EQ(notices, Notices{});
}

TEST(CollectPolicy, KeepsTheOtherFields) {
  ColocationStrategy own;
  own.metric_report_interval_seconds = 7;
  own.metric_aggregate_duration_seconds = 20;
  for (const auto* nothing : {"{}", "null", R"({"reportIntervalSeconds":null})"}) {
    const auto [strategy, notices] = measured(nothing, own);
    EXPECT_EQ(strategy.metric_report_interval_seconds, 7) << nothing;
    EXPECT_EQ(strategy.metric_aggregate_duration_seconds, 20) << nothing;
    EXPECT_EQ(notices, Notices{}) << nothing;
  }
}

TEST(CollectPolicy, RespectsKoordletsLowerBounds) {
  const auto [strategy, notices] = measured(R"({"aggregateDurationSeconds":1,"reportIntervalSeconds":2})");
  EXPECT_EQ(strategy.metric_aggregate_duration_seconds, 60);
  EXPECT_EQ(strategy.metric_report_interval_seconds, 30);
  EXPECT_EQ(notices, Notices{});
}

TEST(CollectPolicy, ReportsWhatTheHistoryCannotProvide) {
  const auto [strategy, notices] =
      measured(R"({"aggregateDurationSeconds":3600,"nodeAggregatePolicy":{"durations":["30m","24h"]},)"
               R"("nodeMemoryCollectPolicy":"usageWithHotPageCache"})");
  EXPECT_EQ(strategy.metric_aggregate_duration_seconds, 1800);
  EXPECT_EQ(strategy.metric_aggregate_durations, std::vector<Duration>{minutes(30)});
  EXPECT_EQ(strategy.metric_memory_collect_policy, "usageWithoutPageCache");
  EXPECT_EQ(
      notices,
      (Notices{"NodeMetric: averages over 3600 s: usage is kept for 1800 s, so they are over that",
               "NodeMetric: percentiles over 24h left out: usage is kept for 30m",
               "NodeMetric: usageWithHotPageCache: hot pages are not known apart, usageWithoutPageCache "
               "is reported"}));
}

TEST(CollectPolicy, TheConfiguredStrategyHasTheSameBounds) {
  ColocationStrategy own;
  own.metric_aggregate_durations.assign(20, minutes(5));
  own.metric_aggregate_durations.emplace_back(std::chrono::hours(2));
  const auto [strategy, notices] = measured("{}", own);
  EXPECT_EQ(strategy.metric_aggregate_durations.size(), 8U);
  EXPECT_EQ(notices.size(), 2U);
}

TEST(CollectPolicy, OnlyTheInvalidFieldIsIgnored) {
  const auto [strategy, notices] =
      measured(R"({"aggregateDurationSeconds":-5,"reportIntervalSeconds":120,"nodeAggregatePolicy":)"
               R"({"durations":["soon"]},"nodeMemoryCollectPolicy":"all","news":1})");
  EXPECT_EQ(strategy.metric_report_interval_seconds, 120);
  EXPECT_EQ(strategy.metric_aggregate_duration_seconds, 300);
  EXPECT_EQ(strategy.metric_aggregate_durations.size(), 3U);
  EXPECT_EQ(strategy.metric_memory_collect_policy, "usageWithoutPageCache");
  ASSERT_EQ(notices.size(), 3U);
  EXPECT_TRUE(notices[0].starts_with("NodeMetric: aggregateDurationSeconds ignored: found '-5'; legal: "))
      << notices[0];
}

TEST(CollectPolicy, IsAbsentForOtherTexts) {
  EXPECT_TRUE(lender::collect_policy_in(R"({"kind":"NodeMetric"})"));
  for (const auto* text : {"", "{}", "[]", "null", R"({"kind":"Node"})", R"({"kind":"Status","code":404})"})
    EXPECT_FALSE(lender::collect_policy_in(text)) << text;
  for (const auto& text : malformed_texts()) EXPECT_FALSE(lender::collect_policy_in(text));
  const std::string whole = asking("{}");
  for (const auto text : truncations(whole)) EXPECT_FALSE(lender::collect_policy_in(text)) << text;
  for (const auto* policy :
       {"[]", "7", "\"x\"", R"({"nodeAggregatePolicy":[]})", R"({"nodeAggregatePolicy":{"durations":{}}})"})
    measured(policy);
}

}  // namespace
}  // namespace evenkeel::test
