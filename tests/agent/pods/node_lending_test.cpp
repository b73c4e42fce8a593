// Tests the Node's annotations that decide what can be lent.
#include <gtest/gtest.h>

#include "agent/pods/pod_list.h"

namespace evenkeel {
namespace {

using namespace literals;

pods::NodeFile node_with(const std::string& key, const std::string& text) {
  return pods::parse_node("metadata: {annotations: {node.koordinator.sh/" + key + ": '" + text + "'}}", "f");
}

TEST(NodeLending, RawAllocatableIsAResourceList) {
  const auto file = node_with("raw-allocatable", R"({"cpu":"31500m","memory":"120Gi","pods":"110"})");
  EXPECT_TRUE(file.notices.empty());
  EXPECT_EQ(file.node.cpu_raw_allocatable, 31500_mcpu);
  EXPECT_EQ(file.node.memory_raw_allocatable, Bytes(std::int64_t{120} << 30));
  EXPECT_EQ(node_with("raw-allocatable", R"({"cpu":"1"})").node.memory_raw_allocatable, std::nullopt);
  for (const auto* bad : {"", "{", "[]", "5", R"({"cpu":"lots"})", R"({"cpu":"-1"})", R"({"memory":[1]})"}) {
    const auto wrong = node_with("raw-allocatable", bad);
    EXPECT_FALSE(wrong.node.cpu_raw_allocatable || wrong.node.memory_raw_allocatable) << bad;
    EXPECT_EQ(wrong.notices.size(), 1U) << bad;
  }
}

TEST(NodeLending, TheNormalizationRatioIsADecimalNumber) {
  EXPECT_EQ(node_with("cpu-normalization-ratio", "1.15").node.cpu_normalization_ratio, 1.15);
  EXPECT_EQ(node_with("cpu-normalization-ratio", "1.00").node.cpu_normalization_ratio, 1.0);
  EXPECT_EQ(pods::parse_node("metadata: {name: n}", "f").node.cpu_normalization_ratio, std::nullopt);
  for (const auto* bad : {"", "x", "0", "-1", "1.5x", "nan", "inf", "1e300", " 1"}) {
    const auto wrong = node_with("cpu-normalization-ratio", bad);
    EXPECT_EQ(wrong.node.cpu_normalization_ratio, std::nullopt) << bad;
    EXPECT_EQ(wrong.notices.size(), 1U) << bad;
  }
}

TEST(NodeLending, ThirdPartyAllocationsAreRead) {
  const auto file = node_with("thirdPartyAllocations",
                              R"({"allocations":[{"name":"hadoop-yarn","priority":"koord-batch","resources":)"
                              R"({"kubernetes.io/batch-cpu":"10k","kubernetes.io/batch-memory":"10Gi"}},)"
                              R"({"name":"other","priority":"gold"}]})");
  EXPECT_TRUE(file.notices.empty());
  EXPECT_EQ(file.node.third_parties_unknown, "");
  ASSERT_EQ(file.node.third_parties.size(), 2U);
  const auto& yarn = file.node.third_parties[0];
  EXPECT_EQ(yarn.name, "hadoop-yarn");
  EXPECT_EQ(yarn.priority_class, PriorityClass::batch);
  EXPECT_EQ(yarn.resources.batch_cpu, 10000_mcpu);
  EXPECT_EQ(yarn.resources.batch_memory, Bytes(std::int64_t{10} << 30));
  EXPECT_EQ(file.node.third_parties[1].priority_class, PriorityClass::none);
  EXPECT_TRUE(node_with("thirdPartyAllocations", R"({"allocations":null})").notices.empty());
}

TEST(NodeLending, UnreadableThirdPartyAllocationsAreNotZero) {
  for (const auto* bad :
       {"", "{", "[]", "5", R"({"allocations":{}})", R"({"allocations":[5]})",
        R"({"allocations":[{"priority":"koord-batch","resources":{"kubernetes.io/batch-cpu":"lots"}}]})",
        R"({"allocations":[{"priority":"koord-batch","resources":{"kubernetes.io/batch-cpu":"-5"}}]})",
        R"({"allocations":[{"priority":"koord-batch","resources":[]}]})"}) {
    const auto wrong = node_with("thirdPartyAllocations", bad);
    EXPECT_TRUE(wrong.node.third_parties.empty()) << bad;
    EXPECT_NE(wrong.node.third_parties_unknown, "") << bad;
    EXPECT_EQ(wrong.notices.size(), 1U) << bad;
  }
}

}  // namespace
}  // namespace evenkeel
