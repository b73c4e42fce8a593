// Tests the program with a kubelet and an API server: flags, log, pages, and a clean exit while both are
// silent.
#include <gtest/gtest.h>

#include <fstream>

#include "agent/http/http_client.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/fakes/http_script.h"
#include "tests/support/fakes/kubelet_texts.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

class KubeletProgram : public testing::Test {
 protected:
  void SetUp() override {
    host_.machine({.cpus = 4}).v1().cgroupfs().kubepods();
    host_.pod(KubeQos::burstable, "07c5ca87-3cee-419b-8d73-19bc1d676c1c", {"c1"});
    std::ofstream(at("token")) << "t\n";
    std::ofstream(at("ca.crt")) << kubelet_.authority().certificate();
    std::ofstream(at("config"))
        << "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
           "clusters: [{name: c, cluster: {server: '"
        << api_.url() << "', insecure-skip-tls-verify: true}}]\n"
        << "users: [{name: u, user: {tokenFile: token}}]\n";
    kubelet_.answers([](const Asked&, Exchange& exchange) { exchange.send(chunked_answer(real_pods())); });
    api_.answers([](const Asked&, Exchange& exchange) { exchange.send(chunked_answer(real_node())); });
  }
  [[nodiscard]] std::string at(const std::string& name) const { return dir_.path + "/" + name; }
  std::vector<std::string> args() const {
    return {"--host-root",  host_.root(), "--state-dir",  at("state"),  "--listen",      "127.0.0.1:0",
            "--interval",   "50ms",       "--pods",       "kubelet",    "--kubelet-url", kubelet_.url(),
            "--kubelet-ca", at("ca.crt"), "--kubeconfig", at("config"), "--node-name",   "node-1"};
  }
  static std::string address_of(const LiveAgent& agent) {
    if (!agent.logged("event=listening", milliseconds(10'000))) return {};
    const std::string log = agent.log();
    const auto begin = log.find("port=") + 5;
    return "http://127.0.0.1:" + log.substr(begin, log.find_first_not_of("0123456789", begin) - begin);
  }
  /// The page, once it contains `text`; the last one otherwise.
  static std::string page(const std::string& url, const std::string& text) {
    std::string body;
    for (int i = 0; i < 1000; ++i) {
      body = http::http_get(url).body;
      if (body.find(text) != std::string::npos) break;
    }
    return body;
  }
  FakeHost host_{};
  StateDir dir_{};
  ScriptedServer kubelet_{{.tls = true}}, api_{{.tls = true}};
};

TEST_F(KubeletProgram, KnowsPodsAndNodeAndExitsCleanly) {
  LiveAgent agent(args());
  const auto url = address_of(agent);
  ASSERT_NE(url, "") << agent.log();
  const auto metrics = page(url + "/metrics", "pod=\"default/bu1\"");
  EXPECT_NE(metrics.find("pod=\"default/bu1\""), std::string::npos) << metrics << agent.log();
  const auto ready = page(url + "/readyz", "node: ok");
  EXPECT_NE(ready.find("node: ok, "), std::string::npos) << ready << agent.log();
  EXPECT_NE(ready.find("pods: ok, "), std::string::npos) << ready;
  EXPECT_EQ(kubelet_.asked().front().header("authorization"), "Bearer t");
  EXPECT_EQ(api_.asked().front().target, "/api/v1/nodes/node-1?resourceVersion=0");
  kubelet_.answers([](const Asked&, Exchange& exchange) { exchange.hang(); });
  api_.answers([](const Asked&, Exchange& exchange) { exchange.hang(); });
  EXPECT_LT(agent.stop(), std::chrono::seconds(5)) << "no answer is waited for";
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
}

TEST_F(KubeletProgram, RejectsUnsafeFlags) {
  const Ran ran = run_evenkeel({"run", "--host-root", host_.root(), "--pods", "kubelet"});
  EXPECT_EQ(ran.exit_status, 2);
  EXPECT_NE(ran.err.find("--kubelet-ca FILE, or --pods api"), std::string::npos) << ran.err;
  const Ran stepped = run_evenkeel({"run", "--stepped", "--host-root", host_.root(), "--pods", "kubelet"});
  EXPECT_EQ(stepped.exit_status, 2);
  EXPECT_NE(stepped.err.find("legal with --stepped"), std::string::npos) << stepped.err;
  const Ran object =
      run_evenkeel({"run", "--stepped", "--host-root", host_.root(), "--nodeslo-source", "api"});
  EXPECT_EQ(object.exit_status, 2);
  EXPECT_NE(object.err.find("--nodeslo-source api: a server has a clock"), std::string::npos) << object.err;
}

}  // namespace
}  // namespace evenkeel::test
