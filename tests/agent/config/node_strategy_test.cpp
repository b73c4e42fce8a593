// Tests the layers that a node adds to the colocation strategy.
#include <gtest/gtest.h>

#include "agent/config/nodeslo_config.h"
#include "tests/support/malformed.h"

namespace evenkeel {
namespace {

NodeObject annotated(const std::string& text) {
  NodeObject node;
  node.annotations["node.koordinator.sh/colocation-strategy"] = text;
  return node;
}

NodeObject labelled(const std::string& name, const std::string& text) {
  NodeObject node;
  node.labels["node.koordinator.sh/" + name] = text;
  return node;
}

ColocationStrategy cluster() {
  ColocationStrategy out;
  out.enable = true;
  out.cpu_reclaim_threshold_percent = Percent(50);
  out.degrade_time_minutes = 5;
  return out;
}

TEST(NodeStrategy, WithoutLayersTheClusterStrategyApplies) {
  const auto out = config::node_strategy(cluster(), {});
  EXPECT_TRUE(out.notices.empty());
  EXPECT_EQ(out.strategy.cpu_reclaim_threshold_percent, Percent(50));
  EXPECT_EQ(out.strategy.memory_reclaim_threshold_percent, Percent(65)) << "the built-in default";
}

TEST(NodeStrategy, TheAnnotationReplacesFieldByField) {
  const auto out = config::node_strategy(
      cluster(),
      annotated(R"({"enable":false,"cpuReclaimThresholdPercent":120,"resourceDiffThreshold":0.2,)"
                R"("memoryCalculatePolicy":"maxUsageRequest","midReclaimMode":"static",)"
                R"("batchMemoryThresholdPercent":80,"metricAggregatePolicy":{"durations":["5m0s"]}})"));
  EXPECT_TRUE(out.notices.empty());
  EXPECT_FALSE(out.strategy.enable);
  EXPECT_EQ(out.strategy.cpu_reclaim_threshold_percent, Percent(120));
  EXPECT_DOUBLE_EQ(out.strategy.resource_diff_threshold, 0.2);
  EXPECT_EQ(out.strategy.memory_calculate_policy, "maxUsageRequest");
  EXPECT_EQ(out.strategy.mid_reclaim_mode, "static");
  EXPECT_EQ(out.strategy.batch_memory_threshold_percent, Percent(80));
  EXPECT_EQ(out.strategy.metric_aggregate_durations, std::vector<Duration>{std::chrono::minutes(5)});
  EXPECT_EQ(out.strategy.degrade_time_minutes, 5);
}

TEST(NodeStrategy, UnknownKeysInTheAnnotationAreIgnored) {
  const auto out = config::node_strategy(
      cluster(), annotated(R"({"extensions":{"a":1},"cpuReclaimThresholdPercent":70})"));
  EXPECT_EQ(out.strategy.cpu_reclaim_threshold_percent, Percent(70));
  EXPECT_TRUE(out.notices.empty());
  const auto close = config::node_strategy(cluster(), annotated(R"({"cpuReclaimThresholdPercentage":70})"));
  EXPECT_EQ(close.notices.size(), 1U) << "a slip of the pen is named";
}

TEST(NodeStrategy, AnAnnotationWithAnyInvalidPartIsIgnored) {
  std::vector<std::string> bad = {
      "[]",
      "[1]",
      "{",
      R"({"cpuReclaimThresholdPercent":70,"memoryReclaimThresholdPercent":-1})",
      R"({"cpuReclaimThresholdPercent":"70"})",
      R"({"cpuReclaimThresholdPercent":70.5})",
      R"({"cpuReclaimThresholdPercent":99999999999999999999})",
      R"({"cpuReclaimThresholdPercent":70,"cpuCalculatePolicy":"guess"})",
      R"({"cpuReclaimThresholdPercent":70,"resourceDiffThreshold":1.5})",
      R"({"cpuReclaimThresholdPercent":70,"degradeTimeMinutes":0})",
      R"({"cpuReclaimThresholdPercent":70,"metricAggregatePolicy":{"durations":"5m"}})",
      R"({"cpuReclaimThresholdPercent":70,"enable":"yes"})",
      R"({"cpuReclaimThresholdPercent":70,"cpuReclaimThresholdPercent":71})",
  };
  for (const auto& text : test::malformed_texts()) bad.push_back(text);
  for (const auto& text : bad) {
    const auto out = config::node_strategy(cluster(), annotated(text));
    EXPECT_EQ(out.strategy.cpu_reclaim_threshold_percent, Percent(50)) << text.substr(0, 60);
    EXPECT_TRUE(out.strategy.enable);
    ASSERT_EQ(out.notices.size(), 1U) << text.substr(0, 60);
    EXPECT_NE(out.notices[0].find("colocation-strategy ignored"), std::string::npos) << out.notices[0];
  }
}

TEST(NodeStrategy, RatiosOfLabelsArePercentagesAndWinOverTheAnnotation) {
  auto node = annotated(R"({"cpuReclaimThresholdPercent":70,"midStaticCPUReservedPercent":3})");
  node.labels["node.koordinator.sh/cpu-reclaim-ratio"] = "0.8";
  node.labels["node.koordinator.sh/memory-reclaim-ratio"] = "1.2";
  node.labels["node.koordinator.sh/mid-static-cpu-reserved-ratio"] = "0.125";
  node.labels["node.koordinator.sh/mid-static-memory-reserved-ratio"] = "1";
  const auto out = config::node_strategy(cluster(), node);
  EXPECT_TRUE(out.notices.empty());
  EXPECT_EQ(out.strategy.cpu_reclaim_threshold_percent, Percent(80));
  EXPECT_EQ(out.strategy.memory_reclaim_threshold_percent, Percent(120));
  EXPECT_EQ(out.strategy.mid_static_cpu_reserved_percent, Percent(12)) << "truncated";
  EXPECT_EQ(out.strategy.mid_static_memory_reserved_percent, Percent(100));
}

TEST(NodeStrategy, BinaryFractionsDoNotChangeARatio) {
  for (int percent = 0; percent <= 200; ++percent) {
    const auto text = std::to_string(percent / 100) + '.' + std::to_string(percent / 10 % 10) +
                      std::to_string(percent % 10);
    const auto out = config::node_strategy(cluster(), labelled("cpu-reclaim-ratio", text));
    EXPECT_EQ(out.strategy.cpu_reclaim_threshold_percent, Percent(percent)) << text;
  }
}

TEST(NodeStrategy, InvalidRatioLabelsAreIgnored) {
  for (const auto* bad : {"", "x", "-0.1", "0.5x", " 0.5", "nan", "inf", "1e300", "0x1p3", "65%", "+0.5"}) {
    const auto out = config::node_strategy(cluster(), labelled("cpu-reclaim-ratio", bad));
    EXPECT_EQ(out.strategy.cpu_reclaim_threshold_percent, Percent(50)) << bad;
    ASSERT_EQ(out.notices.size(), 1U) << bad;
    EXPECT_NE(out.notices[0].find("cpu-reclaim-ratio ignored"), std::string::npos) << out.notices[0];
  }
  const auto more_than_all =
      config::node_strategy(cluster(), labelled("mid-static-cpu-reserved-ratio", "1.5"));
  EXPECT_EQ(more_than_all.strategy.mid_static_cpu_reserved_percent, Percent(0));
  EXPECT_EQ(more_than_all.notices.size(), 1U);
}

}  // namespace
}  // namespace evenkeel
