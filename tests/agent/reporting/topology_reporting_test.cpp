// Tests the real program with --node-topology against a scripted API server.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <thread>

#include "agent/document/document.h"
#include "agent/http/http_client.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/fakes/api_server.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/fakes/http_script.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

struct TopologyReportingLive : testing::Test {
  TopologyReportingLive() {
    host.machine({.cpus = 4}).v1().kubepods();
    host.file("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       16777216 kB\n");
    write("nodeslo.yaml", "extensions: {colocation: {enable: true}}\n");
    write(
        "pods.json",
        R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"web","namespace":"shop",)"
        R"("uid":"07c5ca87-3cee-419b-8d73-19bc1d676c1c","labels":{"koordinator.sh/qosClass":"LSR"},)"
        R"("annotations":{"scheduling.koordinator.sh/resource-status":"{\"cpuset\":\"2\"}"}},)"
        R"("spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Running","qosClass":"Guaranteed"}}]})");
    write_access(server, dir.path);
    server.answers([](const Asked& asked, Exchange& exchange) {
      if (asked.method == "POST") return void(exchange.send(http_answer(201, asked.body)));
      if (asked.method == "GET")
        return void(
            exchange.send(http_answer(200, R"({"kind":"Node","metadata":{"name":"n1","uid":"u-1"}})")));
      exchange.send(refusal(404, "NotFound", "not found"));
    });
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir.path + "/" + name) << text;
  }
  [[nodiscard]] std::vector<std::string> args(const std::vector<std::string>& more) const {
    std::vector<std::string> out = {
        "--host-root", host.root(),   "--nodeslo",      dir.path + "/nodeslo.yaml", "--state-dir", dir.path,
        "--interval",  "50ms",        "--kubeconfig",   dir.path + "/kubeconfig",   "--node-name", "n1",
        "--listen",    "127.0.0.1:0", "--node-topology"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  static std::string page(const LiveAgent& agent, const std::string& path) {
    return http::http_get(agent.url() + path).body;
  }
  [[nodiscard]] std::string pods_file() const { return "file:" + dir.path + "/pods.json"; }
  [[nodiscard]] std::string created() const {
    for (const auto& one : server.asked())
      if (one.method == "POST") return one.body;
    return {};
  }
  FakeHost host{};
  StateDir dir{};
  ScriptedServer server{{.tls = true}};
};

TEST_F(TopologyReportingLive, CreatesTheObjectOnceTheKubeletsStateIsThere) {
  LiveAgent agent(args({"--pods", pods_file()}));
  ASSERT_TRUE(agent.logged("event=started", seconds(20))) << agent.log();
  ASSERT_TRUE(agent.logged("event=topology-not-reported", seconds(60))) << agent.log();
  EXPECT_NE(agent.log().find("cpu_manager_state cannot be read"), std::string::npos) << agent.log();
  EXPECT_EQ(created(), "");
  EXPECT_NE(page(agent, "/readyz").find("node-topology: no report yet: "), std::string::npos)
      << page(agent, "/readyz");
  host.file("var/lib/kubelet/cpu_manager_state",
            R"({"policyName":"static","defaultCpuSet":"0,2-3","entries":{"u-9":{"c":"1"}},"checksum":1})");
  ASSERT_TRUE(agent.logged("event=reports-topology", seconds(60))) << agent.log();
  const auto root = document::parse_json(created(), "object").root;
  const auto annotation = [&](const char* name) {
    return document::text_at(root, {"metadata", "annotations", name});
  };
  EXPECT_EQ(annotation("node.koordinator.sh/cpu-shared-pools"), R"([{"socket":0,"node":0,"cpuset":"0,3"}])");
  EXPECT_EQ(annotation("node.koordinator.sh/be-cpu-shared-pools"),
            R"([{"socket":0,"node":0,"cpuset":"0,2-3"}])");
  EXPECT_EQ(annotation("node.koordinator.sh/pod-cpu-allocs"),
            R"([{"uid":"u-9","cpuset":"1","managedByKubelet":true}])");
  EXPECT_NE(created().find(R"({"name":"memory","capacity":"17179869184")"), std::string::npos) << created();
  EXPECT_NE(created().find(R"({"name":"hugepages-2Mi","capacity":"0")"), std::string::npos) << created();
  EXPECT_NE(created().find(R"({"name":"kubernetes.io/batch-cpu")"), std::string::npos) << created();
  EXPECT_NE(page(agent, "/readyz").find("node-topology: last report "), std::string::npos);
  const auto metrics = page(agent, "/metrics");
  for (const char* metric : {"reports_total 1", "failures_total ", "age_seconds "})
    EXPECT_NE(metrics.find(std::string("\nevenkeel_node_topology_") + metric), std::string::npos) << metric;
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0);
}

TEST_F(TopologyReportingLive, AnAmountThatIsUnknownForAMomentStays) {
  write("nodeslo.yaml", "extensions: {colocation: {enable: true, cpuCalculatePolicy: maxUsageRequest}}\n");
  const auto kubelet_gives = [&](const std::string& uid) {
    host.file("var/lib/kubelet/cpu_manager_state",
              R"({"policyName":"static","defaultCpuSet":"0,2-3","entries":{")" + uid +
                  R"(":{"c":"1"}},"checksum":1})");
  };
  std::mutex mutex;
  std::string object, patch;
  server.answers([&](const Asked& asked, Exchange& exchange) {
    const std::lock_guard lock(mutex);
    if (asked.method == "GET")
      return void(exchange.send(http_answer(200, R"({"kind":"Node","metadata":{"name":"n1","uid":"u-1"}})")));
    if (asked.method == "POST") object = asked.body;
    if (asked.method == "PATCH" && asked.body.find("zones") != std::string::npos) patch = asked.body;
    if (object.empty()) return void(exchange.send(refusal(404, "NotFound", "not found")));
    exchange.send(http_answer(200, object));
  });
  kubelet_gives("u-8");
  LiveAgent agent(args({"--pods", pods_file()}));
  ASSERT_TRUE(agent.logged("event=reports-topology", seconds(60))) << agent.log();
  host.pod(KubeQos::burstable, "11111111-3cee-419b-8d73-19bc1d676c1c", {"c1"});  // it is in no list
  ASSERT_TRUE(soon([&] {
    return page(agent, "/v1/explain").find("known only from their cgroups") != std::string::npos;
  })) << page(agent, "/v1/explain");
  kubelet_gives("u-9");
  const auto patched = [&] {
    const std::lock_guard lock(mutex);
    return patch.find("u-9") != std::string::npos;
  };
  ASSERT_TRUE(soon(patched, seconds(60))) << agent.log();
  EXPECT_NE(created().find(R"({"name":"kubernetes.io/batch-cpu")"), std::string::npos) << created();
  EXPECT_NE(patch.find(R"({"name":"kubernetes.io/batch-cpu")"), std::string::npos) << patch;
}

TEST_F(TopologyReportingLive, AsksTheKubeletForItsSettings) {
  host.file("var/lib/kubelet/cpu_manager_state",
            R"({"policyName":"static","defaultCpuSet":"0-3","checksum":1})");
  server.answers([](const Asked& asked, Exchange& exchange) {
    if (asked.target.starts_with("/pods"))
      return void(exchange.send(http_answer(200, R"({"kind":"PodList","apiVersion":"v1","items":[]})")));
    if (asked.target == "/configz")
      return void(exchange.send(http_answer(
          200, R"({"kubeletconfig":{"kubeReserved":{"cpu":"500m"},"topologyManagerPolicy":"restricted"}})")));
    if (asked.method == "POST") return void(exchange.send(http_answer(201, asked.body)));
    if (asked.method == "GET")
      return void(exchange.send(http_answer(200, R"({"kind":"Node","metadata":{"name":"n1","uid":"u-1"}})")));
    exchange.send(refusal(404, "NotFound", "not found"));
  });
  write("token", "abc");
  auto flags = args({"--pods", "kubelet", "--kubelet-url", server.url(), "--kubelet-ca", dir.path + "/ca.crt",
                     "--kubelet-token-file", dir.path + "/token"});
  *std::ranges::find(flags, "50ms") = "2s";  // what can be lent is known at the third tick
  LiveAgent agent(flags);
  ASSERT_TRUE(agent.logged("event=reports-topology", seconds(60))) << agent.log();
  EXPECT_EQ(agent.log().find("event=topology-not-reported"), std::string::npos) << agent.log();
  EXPECT_NE(created().find(R"({\"policy\":\"static\",\"reservedCPUs\":\"0\"})"), std::string::npos)
      << created();
  EXPECT_NE(created().find(R"("topologyPolicies":["RestrictedContainerLevel"])"), std::string::npos);
  EXPECT_NE(created().find(R"({"name":"kubernetes.io/batch-cpu")"), std::string::npos) << created();
}

TEST_F(TopologyReportingLive, ADryRunSendsNothing) {
  LiveAgent agent(args({"--dry-run", "--pods", pods_file()}));
  ASSERT_TRUE(agent.logged("event=started", seconds(20)));
  std::this_thread::sleep_for(seconds(6));  // the first report comes within 5 s
  for (const auto& one : server.asked()) EXPECT_EQ(one.method, "GET");
}

TEST(NodeTopologyFlag, NeedsAnApiServerAndItsClock) {
  const FakeHost host;
  const Ran ran = run_evenkeel({"run", "--host-root", host.root(), "--node-topology"});
  EXPECT_EQ(ran.exit_status, 2);
  EXPECT_NE(ran.err.find("--node-topology: no API server is known"), std::string::npos) << ran.err;
  const Ran stepped = run_evenkeel({"run", "--stepped", "--host-root", host.root(), "--node-topology"});
  EXPECT_EQ(stepped.exit_status, 2);
  EXPECT_NE(stepped.err.find("--node-topology: a server has a clock of its own"), std::string::npos)
      << stepped.err;
}

}  // namespace
}  // namespace evenkeel::test
