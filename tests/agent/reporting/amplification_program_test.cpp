// The real program tells Koordinator how many more CPUs it may make allocatable, by the table of models, and
// takes that back when it stops.
#include <gtest/gtest.h>

#include <fstream>

#include "agent/http/http_client.h"
#include "agent/kube/node/node_amplification.h"
#include "tests/agent/stepped/one_service.h"
#include "tests/support/fakes/annotated_node.h"
#include "tests/support/fakes/api_server.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;
using Annotations = AnnotatedNode::Annotations;

constexpr const char* kRatio = "node.koordinator.sh/resource-amplification-ratio";
constexpr const char* kText = R"({"cpu":1.15})";

/// A node with one service of two CPUs, each of which counts for 1.15.
struct AmplificationProgram : testing::Test {
  AmplificationProgram() {
    host.machine({.cpus = 4}).v1().kubepods();
    host.file("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast CPU\n");
    pod = host.pod(KubeQos::burstable, kServiceUid, {"aaa"});
    for (const auto& cgroup : {pod, pod + "/aaa"}) {
      host.write(Controller::cpu, cgroup, "cpu.cfs_quota_us", "200000\n");
      host.write(Controller::cpu, cgroup, "cpu.shares", "39\n");
    }
    write("pods.yaml", one_service());
    write("nodeslo.yaml",
          "extensions: {evenkeel: {cpuNormalization: auto, resourceAmplification: auto, "
          "cpuNormalizationModels: {ratioModel: {Fast CPU: {baseRatio: 1.15}}}}}\n");
    write_access(server, dir.path);
    server.answers(
        [this](const Asked& asked, Exchange& exchange) { exchange.send(node.answer(asked.body)); });
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir.path + "/" + name) << text;
  }
  [[nodiscard]] std::vector<std::string> args() const {
    return {"--host-root",  host.root(),
            "--nodeslo",    dir.path + "/nodeslo.yaml",
            "--pods",       "file:" + dir.path + "/pods.yaml",
            "--state-dir",  dir.path + "/state",
            "--listen",     "127.0.0.1:0",
            "--report",     "node-status",
            "--interval",   "50ms",
            "--kubeconfig", dir.path + "/kubeconfig",
            "--node-name",  "n1"};
  }
  [[nodiscard]] std::string quota() const {
    const auto text = host.read(Controller::cpu, pod, "cpu.cfs_quota_us");
    return text.substr(0, text.find('\n'));
  }

  FakeHost host{};
  StateDir dir{};
  std::string pod{};
  AnnotatedNode node{};
  ScriptedServer server{{.tls = true}};
};

TEST_F(AmplificationProgram, BothAutosPublishTheTablesRatioUntilTheAgentStops) {
  LiveAgent agent(args());
  EXPECT_TRUE(soon([&] { return node.annotations().contains(kRatio); }, seconds(60))) << agent.log();
  EXPECT_EQ(node.annotations(), (Annotations{{kRatio, kText}, {kube::kAmplificationMark, kText}}));
  EXPECT_TRUE(soon([&] { return quota() == "173914"; })) << quota() << ": each CPU counts for more";
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(node.annotations(), Annotations{});
  EXPECT_EQ(quota(), "200000") << "nothing is decided while the Node is cleaned up";
}

TEST_F(AmplificationProgram, ThatOfTheManagerStaysAndIsSaid) {
  const Annotations of_manager = {{kRatio, R"({"cpu":1.3})"}};
  node.set(of_manager);
  LiveAgent agent(args());
  EXPECT_TRUE(agent.logged("event=amplification-left-alone", seconds(60))) << agent.log();
  EXPECT_NE(http::http_get(agent.url() + "/readyz").body.find("resource-amplification: the Node has a "),
            std::string::npos);
  agent.stop();
  EXPECT_EQ(node.annotations(), of_manager);
}

TEST_F(AmplificationProgram, WithoutTheWishTheRestOfAnEarlierRunGoes) {
  write("nodeslo.yaml", "{}\n");
  node.set({{kRatio, kText}, {kube::kAmplificationMark, kText}});
  LiveAgent agent(args());
  EXPECT_TRUE(soon([&] { return node.annotations().empty(); }, seconds(60))) << agent.log();
}

}  // namespace
}  // namespace evenkeel::test
