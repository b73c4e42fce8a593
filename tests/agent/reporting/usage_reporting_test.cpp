// Tests the real program with --node-metric against a scripted API server.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "agent/document/document.h"
#include "agent/http/http_client.h"
#include "agent/reporting/reporting.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/fakes/api_server.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/fakes/http_script.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;
using Args = std::vector<std::string>;

struct UsageReportingLive : testing::Test {
  UsageReportingLive() {
    host.machine({.cpus = 4}).v1().kubepods();
    host.file("sys/devices/system/node/node0/meminfo",
              "Node 0 MemTotal: 9 kB\nNode 0 MemFree: 1 kB\nNode 0 Active(file): 1 kB\n"
              "Node 0 Inactive(file): 1 kB\nNode 0 SReclaimable: 1 kB\n");
    host.pod(KubeQos::burstable, "07c5ca87-3cee-419b-8d73-19bc1d676c1c", {"c1"});
    write("nodeslo.yaml", "extensions: {colocation: {metricReportIntervalSeconds: 1}}\n");
    write("pods.json",
          R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"web","namespace":"shop",)"
          R"("uid":"07c5ca87-3cee-419b-8d73-19bc1d676c1c","labels":{"koordinator.sh/qosClass":"LS"}},)"
          R"("spec":{"containers":[{"name":"c"}]},"status":{"phase":"Running","qosClass":"Burstable"}}]})");
    write_access(server, dir.path);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir.path + "/" + name) << text;
  }
  [[nodiscard]] Args args(const Args& more = {}) const {
    Args out = {"--host-root",  host.root(),
                "--nodeslo",    dir.path + "/nodeslo.yaml",
                "--pods",       "file:" + dir.path + "/pods.json",
                "--state-dir",  dir.path,
                "--interval",   "50ms",
                "--kubeconfig", dir.path + "/kubeconfig",
                "--node-name",  "n1",
                "--listen",     "127.0.0.1:0",
                "--node-metric"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  void object_says(const std::string& policy) {
    const auto object =
        http_answer(200, R"({"kind":"NodeMetric","spec":{"metricCollectPolicy":)" + policy + "}}");
    server.answers([object](const Asked&, Exchange& exchange) { exchange.send(object); });
  }
  [[nodiscard]] std::vector<Asked> patches() const {
    auto asked = server.asked();
    std::erase_if(asked, [](const Asked& one) { return one.method != "PATCH"; });
    return asked;
  }
  template <class Condition>
  static bool within(seconds time, Condition condition) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
    }
    return false;
  }
  static std::string page(const LiveAgent& agent, const std::string& path) {
    return http::http_get(agent.url() + path).body;
  }
  FakeHost host{};
  StateDir dir{};
  ScriptedServer server{{.tls = true}};
};

TEST_F(UsageReportingLive, ReportsUsageAlthoughNothingIsLent) {
  object_says("{}");
  LiveAgent agent(args());
  ASSERT_TRUE(within(seconds(60), [&] { return patches().size() >= 3; })) << agent.log();
  const auto asked = patches();
  EXPECT_EQ(asked[0].body, "{}");
  EXPECT_EQ(asked[1].target, "/apis/slo.koordinator.sh/v1alpha1/nodemetrics/n1/status");
  EXPECT_EQ(asked[1].header("authorization"), "Bearer abc");
  const auto report = document::parse_json(asked[1].body, "report").root;
  EXPECT_NE(document::text_at(report, {"status", "nodeMetric", "nodeUsage", "resources", "cpu"}), "")
      << asked[1].body;
  const auto pods = document::list_at(report, {"status", "podsMetric"});
  ASSERT_TRUE(pods && pods->size() == 1) << asked[1].body;
  EXPECT_EQ(document::text_at((*pods)[0], {"name"}), "web");
  EXPECT_EQ(document::text_at((*pods)[0], {"qos"}), "LS");
  const auto numa = document::list_at(report, {"status", "nodeMetric", "numaUsages"});
  ASSERT_TRUE(numa && numa->size() == 1) << "with the first report: " << asked[1].body;
  EXPECT_EQ(document::text_at((*numa)[0], {"nodeUsage", "resources", "cpu"}), "0m");
  EXPECT_EQ(document::text_at((*numa)[0], {"systemUsage", "resources", "memory"}), "5120");
  const auto predicts = [](const Asked& one) {
    const auto body = document::parse_json(one.body, "report").root;
    return !document::text_at(body, {"status", "prodReclaimableMetric", "resource", "resources", "cpu"})
                .empty();
  };
  EXPECT_TRUE(within(seconds(60), [&] { return std::ranges::any_of(patches(), predicts); }))
      << "it learns, too";
  EXPECT_TRUE(agent.logged("event=reports-usage interval=1s", seconds(20))) << agent.log();
  EXPECT_TRUE(within(seconds(20), [&] {
    return page(agent, "/metrics").find("evenkeel_node_metric_reports_total ") != std::string::npos;
  }));
  EXPECT_NE(page(agent, "/readyz").find("node-metric: last report "), std::string::npos);
  EXPECT_EQ(page(agent, "/metrics").find("evenkeel_advertised"), std::string::npos) << "nothing is lent";
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0);
}

TEST_F(UsageReportingLive, MeasuresAsTheObjectRequestsAndReportsOnceWhatItCannot) {
  object_says(
      R"({"nodeAggregatePolicy":{"durations":["5m","1h"]},"nodeMemoryCollectPolicy":"usageWithHotPageCache"})");
  LiveAgent agent(args());
  ASSERT_TRUE(within(seconds(60), [&] { return patches().size() >= 4; })) << agent.log();
  const auto log = agent.log();
  const auto first = log.find("NodeMetric: percentiles over 1h left out");
  ASSERT_NE(first, std::string::npos) << log;
  EXPECT_EQ(log.find("NodeMetric: percentiles over 1h left out", first + 1), std::string::npos);
  EXPECT_NE(log.find("usageWithoutPageCache is reported"), std::string::npos);
}

TEST_F(UsageReportingLive, ReportsOnceWhyTheServerRejectsIt) {
  server.answers([](const Asked&, Exchange& exchange) {
    exchange.send(http_answer(403, R"({"kind":"Status","message":"nodemetrics \"n1\" is forbidden"})"));
  });
  LiveAgent agent(args());
  ASSERT_TRUE(within(seconds(60), [&] { return patches().size() >= 3; })) << agent.log();
  const auto log = agent.log();
  const auto first = log.find("event=usage-not-reported");
  ASSERT_NE(first, std::string::npos) << log;
  EXPECT_EQ(log.find("event=usage-not-reported", first + 1), std::string::npos) << log;
  EXPECT_NE(page(agent, "/readyz").find("node-metric: no report yet: 403 nodemetrics"), std::string::npos);
}

TEST_F(UsageReportingLive, ADryRunSendsNothing) {
  LiveAgent agent(args({"--dry-run"}));
  ASSERT_TRUE(within(seconds(20), [&] { return !server.asked().empty(); })) << "the Node is asked for";
  ASSERT_TRUE(agent.logged("event=started", seconds(20)));
  std::this_thread::sleep_for(seconds(2));
  EXPECT_TRUE(patches().empty());
}

TEST(NodeMetricFlag, NeedsAnApiServerAndItsClock) {
  const FakeHost host;
  const Ran ran = run_evenkeel({"run", "--host-root", host.root(), "--node-metric"});
  EXPECT_EQ(ran.exit_status, 2);
  EXPECT_NE(ran.err.find("--node-metric: no API server is known; legal: with --kubeconfig FILE"),
            std::string::npos)
      << ran.err;
  const Ran stepped = run_evenkeel({"run", "--stepped", "--host-root", host.root(), "--node-metric"});
  EXPECT_EQ(stepped.exit_status, 2);
  EXPECT_NE(stepped.err.find("not legal with --stepped"), std::string::npos) << stepped.err;
}

}  // namespace
}  // namespace evenkeel::test
