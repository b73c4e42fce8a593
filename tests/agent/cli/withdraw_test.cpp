// Tests `evenkeel withdraw` as a command, with the answers of a Kubernetes API server.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "cgroup/executor/journal.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/fakes/api_server.h"
#include "tests/support/fakes/http_script.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kTaken =
    R"({"status":{"capacity":{"kubernetes.io/batch-cpu":null,"kubernetes.io/batch-memory":null},)"
    R"("allocatable":{"kubernetes.io/batch-cpu":null,"kubernetes.io/batch-memory":null}}})";

std::string node_with(const std::string& lent) {
  return R"({"kind":"Node","apiVersion":"v1","status":{"capacity":{"cpu":"2"},"allocatable":{"cpu":"2")" +
         lent + "}}}";
}
std::string pod(const std::string& name, const std::string& phase, const std::string& requests) {
  return R"({"metadata":{"namespace":"default","name":")" + name + R"(","uid":"u-)" + name +
         R"("},"spec":{"containers":[{"name":"c","resources":{"requests":{)" + requests + R"(},"limits":{)" +
         requests + R"(}}}]},"status":{"phase":")" + phase + R"("}})";
}
std::string pod_list(const std::string& items) {
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)" + items + "]}";
}
constexpr const char* kBatch = R"("kubernetes.io/batch-cpu":"500","kubernetes.io/batch-memory":"1Mi")";

class Withdraw : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(dir_.path + "/config")
        << "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
           "clusters: [{name: c, cluster: {server: '"
        << api_.url() << "', insecure-skip-tls-verify: true}}]\nusers: [{name: u, user: {token: t}}]\n";
    api_.answers([this](const Asked& asked, Exchange& exchange) {
      if (asked.method == "GET") return void(exchange.send(pods_));
      if (asked.body != "{}") standing_.clear();
      exchange.send(patched_.empty() ? http_answer(200, node_with(standing_)) : patched_);
    });
  }
  Ran withdraw(std::vector<std::string> flags = {}) {
    std::vector<std::string> args = {"withdraw", "--kubeconfig", dir_.path + "/config", "--node-name",
                                     "n1",       "--state-dir",  dir_.path + "/state"};
    args.insert(args.end(), flags.begin(), flags.end());
    return run_evenkeel(args);
  }
  /// The bodies of the requests that changed the Node.
  [[nodiscard]] std::vector<std::string> changes() const {
    std::vector<std::string> out;
    for (const auto& asked : api_.asked())
      if (asked.method == "PATCH" && asked.body != "{}") out.push_back(asked.body);
    return out;
  }
  StateDir dir_{};
  ScriptedServer api_{{.tls = true}};
  std::string standing_ = R"(,"kubernetes.io/batch-cpu":"1500","kubernetes.io/batch-memory":"1Gi")";
  std::string pods_ = http_answer(200, pod_list(pod("web", "Running", R"("cpu":"1")")));
  std::string patched_{};
};

TEST_F(Withdraw, RemovesOnlyWhatIsAdvertised) {
  const Ran ran = withdraw();
  EXPECT_EQ(ran.exit_status, 0) << ran.err;
  EXPECT_EQ(ran.out, "node n1: withdrawn: batch-cpu 1500, batch-memory 1073741824\n");
  EXPECT_EQ(changes(), std::vector<std::string>{kTaken});
  for (const auto& asked : api_.asked()) {
    if (asked.method != "GET") continue;
    EXPECT_EQ(asked.target, "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&resourceVersion=0");
  }
}

TEST_F(Withdraw, SucceedsWhenNothingIsAdvertised) {
  standing_.clear();
  const Ran ran = withdraw();
  EXPECT_EQ(ran.exit_status, 0) << ran.err;
  EXPECT_EQ(ran.out, "node n1: nothing is advertised\n");
  EXPECT_TRUE(changes().empty());
}

TEST_F(Withdraw, IsRefusedWhilePodsRequestTheResources) {
  pods_ = http_answer(200, pod_list(pod("b1", "Running", kBatch) + "," + pod("b2", "Pending", kBatch) + "," +
                                    pod("b3", "Succeeded", kBatch)));
  const Ran refused = withdraw();
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_NE(refused.err.find(
                "2 pods request some of batch-cpu 1500, batch-memory 1073741824: default/b1, default/b2"),
            std::string::npos)
      << refused.err;
  EXPECT_TRUE(changes().empty());
  const Ran forced = withdraw({"--force"});
  EXPECT_EQ(forced.exit_status, 0) << forced.err;
  EXPECT_EQ(changes(), std::vector<std::string>{kTaken});
}

TEST_F(Withdraw, SucceedsAfterThosePodsHaveEnded) {
  pods_ = http_answer(200, pod_list(pod("b1", "Failed", kBatch) + "," + pod("b2", "Succeeded", kBatch)));
  EXPECT_EQ(withdraw().exit_status, 0);
  EXPECT_EQ(changes().size(), 1U);
}

TEST_F(Withdraw, IsRefusedWhileThePodListIsUnknown) {
  const std::pair<std::string, const char*> cases[] = {
      {refusal(403, "Forbidden", "pods is forbidden"), "403 pods is forbidden"},
      {http_answer(200, "{}"), "legal: a v1 PodList"},
      {http_answer(200, pod_list(R"({"metadata":})")), "answer: items[0]: "}};
  for (const auto& [answer, reason] : cases) {
    pods_ = answer;
    const Ran ran = withdraw();
    EXPECT_EQ(ran.exit_status, 1) << answer;
    EXPECT_NE(ran.err.find("it is not known whether pods request any of batch-cpu 1500"), std::string::npos)
        << ran.err;
    EXPECT_NE(ran.err.find(reason), std::string::npos) << "the reader's own reason: " << ran.err;
    EXPECT_NE(ran.err.find("--force"), std::string::npos) << ran.err;
  }
  EXPECT_TRUE(changes().empty());
  EXPECT_EQ(withdraw({"--force"}).exit_status, 0);
}

TEST_F(Withdraw, ADryRunOnlyPrints) {
  const Ran ran = withdraw({"--dry-run"});
  EXPECT_EQ(ran.exit_status, 0) << ran.err;
  EXPECT_EQ(ran.out, "node n1: would withdraw batch-cpu 1500, batch-memory 1073741824\n");
  EXPECT_TRUE(changes().empty());
}

TEST_F(Withdraw, IsRefusedWhileAnAgentRuns) {
  const auto journal = executor::Journal::open(dir_.path + "/state", "boot");
  ASSERT_TRUE(journal);
  const Ran ran = withdraw({"--force"});
  EXPECT_EQ(ran.exit_status, 1);
  EXPECT_NE(ran.err.find("Stop it first"), std::string::npos) << ran.err;
  EXPECT_TRUE(api_.asked().empty());
}

TEST_F(Withdraw, ReportsWhyTheServerRejectedIt) {
  patched_ = refusal(403, "Forbidden", "nodes is forbidden");
  const Ran refused = withdraw();
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_NE(refused.err.find("403 nodes is forbidden"), std::string::npos) << refused.err;
  api_.stop();
  const Ran unreachable = withdraw();
  EXPECT_EQ(unreachable.exit_status, 1);
  EXPECT_NE(unreachable.err.find("cannot be patched: "), std::string::npos) << unreachable.err;
}

TEST_F(Withdraw, NeedsAServer) {
  const Ran ran = run_evenkeel({"withdraw", "--state-dir", dir_.path + "/state"});
  EXPECT_EQ(ran.exit_status, 2);
  EXPECT_NE(ran.err.find("--kubeconfig FILE"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace evenkeel::test
