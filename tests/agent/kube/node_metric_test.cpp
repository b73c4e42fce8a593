// Tests the report on this node to Koordinator with a worked example, and what is omitted.
#include <gtest/gtest.h>

#include "agent/document/document.h"
#include "agent/reporting/reporting.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using std::chrono::seconds;

struct NodeMetricTest : testing::Test {
  history::UsageHistory history{};
  std::vector<Duration> windows{seconds(10), seconds(18), seconds(20)};
  std::optional<lending::ProdReclaimable> prod{};
  std::vector<reporting::NumaUsage> numa{};
  std::function<const contention::StallPercents*(std::string_view)> stalls{};
  NodeSnapshot node = three_things();

  /// A service, a batch pod and a host application, using 900m and 15 MiB in all.
  static NodeSnapshot three_things() {
    auto node = SnapshotBuilder()
                    .cpus(8)
                    .pod("web")
                    .ls()
                    .uses(300_mcpu)
                    .pod("crunch")
                    .be()
                    .uses(500_mcpu)
                    .host_app(QosClass::ls, HostAppBase::cgroup_root)
                    .uses(100_mcpu)
                    .build();
    auto pods = *node.pod_specs;
    pods[0].namespace_ = "shop";
    pods[1].namespace_ = "batch";
    auto slo = std::make_shared<NodeSlo>(*node.slo);
    slo->host_applications[0].priority = PriorityClass::prod;
    node.pod_specs = std::make_shared<const std::vector<Pod>>(std::move(pods));
    node.slo = slo;
    for (std::size_t i = 0; i < node.pods.size(); ++i) node.pods[i].spec = &(*node.pod_specs)[i];
    node.host_applications[0].spec = &node.slo->host_applications[0];
    memory(node, node.pods[0].cgroup, 10_MiB);
    memory(node, node.pods[1].cgroup, 4_MiB);
    memory(node, node.host_applications[0].cgroup, 1_MiB);
    return node;
  }
  static void memory(NodeSnapshot& node, CgroupIndex index, std::optional<Bytes> bytes) {
    node.cgroups[static_cast<std::size_t>(index)].memory.anonymous = bytes;
  }
  /// In second k of ten the node uses 1000 + 100 k thousandths of a CPU and 20 + k MiB.
  void ten_seconds() {
    for (int k = 1; k <= 10; ++k) {
      node.at = MonoTime(seconds(k));
      node.since_previous = seconds(1);
      node.node.cpu_use = MilliCpu(1000 + 100 * k);
      node.node.memory = NodeMemory{.total = 100_MiB, .available = 80_MiB - Bytes(std::int64_t{k} << 20)};
      history.observe(node, {});
    }
  }
  [[nodiscard]] std::string patch(bool pods_known = true) const {
    return reporting::node_metric_patch({.history = history,
                                         .windows = windows,
                                         .pods = pods_known ? node.pod_specs.get() : nullptr,
                                         .host_applications = node.slo->host_applications,
                                         .prod = prod,
                                         .numa = numa,
                                         .stalls = stalls,
                                         .unix_seconds = 1795231046});
  }
  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

std::string use(const std::string& cpu, const std::string& memory) {
  return R"({"resources":{"cpu":")" + cpu + R"(","memory":")" + memory + "\"}}";
}
std::string window(const std::string& duration, const std::string& average, const std::string& p50,
                   const std::string& above) {
  return R"({"duration":")" + duration + R"(","usage":{"avg":)" + average + R"(,"p50":)" + p50 +
         R"(,"p90":)" + above + R"(,"p95":)" + above + R"(,"p99":)" + above + "}}";
}

TEST_F(NodeMetricTest, MatchesTheWorkedExample) {
  ten_seconds();
  prod =
      lending::ProdReclaimable{.reclaimable = Usage{1450_mcpu, 966367642_B}, .peak = Usage{2000_mcpu, 3_B}};
  // The node: 1100 to 2000, 21 to 30 MiB; the system: minus 900 and 15 MiB. Of ten values p90, p95 and p99
  // are the ninth, p50 the fifth. The measurements span less than half of 20 s.
  const std::string node_average = use("1550m", "26738688"), system_average = use("650m", "11010048");
  const auto of_node = [&](const char* duration) {
    return window(duration, node_average, use("1500m", "26214400"), use("1900m", "30408704"));
  };
  const auto of_system = [&](const char* duration) {
    return window(duration, system_average, use("600m", "10485760"), use("1000m", "14680064"));
  };
  const auto whole = [](const std::string& average) {
    return average.substr(0, average.size() - 1) + R"(,"devices":null})";
  };
  EXPECT_EQ(patch(),
            R"({"status":{"updateTime":"2026-11-21T03:17:26Z","nodeMetric":{"nodeUsage":)" +
                whole(node_average) + R"(,"aggregatedNodeUsages":[)" + of_node("10s") + "," + of_node("18s") +
                R"(],"systemUsage":)" + whole(system_average) + R"(,"aggregatedSystemUsages":[)" +
                of_system("10s") + "," + of_system("18s") + R"(],"numaUsages":null},"podsMetric":[)" +
                R"({"namespace":"batch","name":"crunch","priority":"koord-batch","qos":"BE","podUsage":)" +
                use("500m", "4194304") +
                R"(},{"namespace":"shop","name":"web","priority":"koord-prod","qos":"LS","podUsage":)" +
                use("300m", "10485760") +
                R"(}],"hostApplicationMetric":[{"name":"app-0","priority":"koord-prod","qos":"LS","usage":)" +
                use("100m", "1048576") + R"(}],"prodReclaimableMetric":{"resource":)" +
                use("1450m", "966367642") + R"(},"prodPeakMetric":{"resource":)" + use("2000m", "3") + "}}}");
}

TEST_F(NodeMetricTest, NumaNodesHaveTheShapeThatKoordletGivesThem) {
  ten_seconds();
  numa = {{0, {34_mcpu, 708677284_B}, {33_mcpu, 708636248_B}}, {1, {0_mcpu, 5_B}, {0_mcpu, 0_B}}};
  const auto text = patch();
  EXPECT_TRUE(says(text, R"(,"numaUsages":[{"numaNodeID":0,"nodeUsage":)" + use("34m", "708677284") +
                             R"(,"systemUsage":)" + use("33m", "708636248") +
                             R"(},{"numaNodeID":1,"nodeUsage":)" + use("0m", "5") + R"(,"systemUsage":)" +
                             use("0m", "0") + "}]}"))
      << text;
}

TEST_F(NodeMetricTest, ANumaNodeWithAnUnknownFigureIsOmitted) {
  ten_seconds();
  const Usage known{34_mcpu, 7_B};
  for (const Usage& partly : {Usage{34_mcpu, {}}, Usage{{}, 7_B}}) {
    numa = {{0, partly, known}, {1, known, partly}};
    EXPECT_TRUE(says(patch(), R"("numaUsages":null)")) << "also what koordlet may have left: " << patch();
    numa.push_back({2, known, known});
    EXPECT_TRUE(says(patch(), R"("numaUsages":[{"numaNodeID":2,)")) << patch();
  }
}

TEST_F(NodeMetricTest, WhatAServiceWaitsForIsAnExtensionOfItsPod) {
  ten_seconds();
  const contention::StallPercents web = {12.6, std::nullopt, 0.2};
  stalls = [&](std::string_view uid) {
    EXPECT_FALSE(uid.empty());
    return uid == (*node.pod_specs)[0].uid ? &web : nullptr;
  };
  const auto text = patch();
  EXPECT_TRUE(says(
      text, use("300m", "10485760") + R"(,"extensions":{"evenkeel.io/stall-percent":{"cpu":13,"io":0}}})"))
      << text;
  EXPECT_EQ(text.find("extensions"), text.rfind("extensions")) << "of the service only: " << text;
}

TEST_F(NodeMetricTest, NoReportWhileCpuOrMemoryOfTheNodeIsUnknown) {
  EXPECT_EQ(patch(), "") << "nothing was measured";
  node.at = MonoTime(seconds(1));
  node.node.cpu_use.reset();
  node.node.memory = NodeMemory{.total = 100_MiB, .available = 80_MiB};
  history.observe(node, {});
  EXPECT_EQ(patch(), "");
  history.forget();
  node.node.cpu_use = 1000_mcpu;
  node.node.memory.reset();
  history.observe(node, {});
  EXPECT_EQ(patch(), "");
}

TEST_F(NodeMetricTest, UnknownValuesAreRemovedNotZero) {
  ten_seconds();
  const auto text = patch(false);
  EXPECT_TRUE(says(text, R"("podsMetric":null)")) << text;
  EXPECT_TRUE(says(text, R"("prodReclaimableMetric":null,"prodPeakMetric":null)")) << text;
  EXPECT_FALSE(says(text, "\"0")) << text;
}

TEST_F(NodeMetricTest, MeasuredZerosAreReported) {
  node = SnapshotBuilder().cpus(8).pod("idle").ls().uses(0_mcpu).build();
  memory(node, node.pods[0].cgroup, 0_B);
  ten_seconds();
  const auto text = patch();
  EXPECT_TRUE(says(text, R"("podUsage":{"resources":{"cpu":"0m","memory":"0"}})")) << text;
  EXPECT_TRUE(says(text, R"("hostApplicationMetric":[])")) << text;
}

TEST_F(NodeMetricTest, APodWithPartlyUnknownUseIsOmittedAHostApplicationIsNot) {
  memory(node, node.pods[0].cgroup, std::nullopt);
  memory(node, node.host_applications[0].cgroup, std::nullopt);
  ten_seconds();
  const auto text = patch();
  EXPECT_FALSE(says(text, "\"web\"")) << "its requests count instead";
  EXPECT_TRUE(says(text, "\"crunch\""));
  EXPECT_TRUE(says(text, R"("qos":"LS","usage":{"resources":{"cpu":"100m"}})")) << text;
}

TEST_F(NodeMetricTest, APodWithoutANameIsOmitted) {
  auto pods = *node.pod_specs;
  pods[0].name.clear();
  ten_seconds();
  node.pod_specs = std::make_shared<const std::vector<Pod>>(pods);
  EXPECT_FALSE(says(patch(), "koord-prod\",\"qos\":\"LS\",\"podUsage"));
  EXPECT_TRUE(says(patch(), "\"crunch\""));
}

TEST_F(NodeMetricTest, IsValidJsonForAnyNames) {
  auto slo = std::make_shared<NodeSlo>(*node.slo);
  slo->host_applications[0].name = "a\"b\\\n";
  node.slo = slo;
  node.host_applications[0].spec = &node.slo->host_applications[0];
  ten_seconds();
  const auto text = patch();
  EXPECT_TRUE(document::parse_json(text, "patch").problems.empty()) << text;
  EXPECT_TRUE(says(text, R"("name":"a\"b\\\n")")) << text;
}

}  // namespace
}  // namespace evenkeel::test
