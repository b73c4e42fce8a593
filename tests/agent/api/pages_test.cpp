// Tests what pages say of the whole agent: whether it is ready, and whether it knows a pod.
#include "agent/api/pages.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "agent/agent.h"
#include "tests/support/fakes/fake_node.h"
#include "tests/support/fakes/fixed_wall.h"

namespace evenkeel::test {
namespace {

constexpr const char* kUid = "07c5ca87-3cee-419b-8d73-19bc1d676c1c";

class PagesTest : public testing::Test {
 protected:
  PagesTest() { node_.host.pod(KubeQos::burstable, kUid, {"c1"}); }
  /// An agent that asks an API server for its Node.
  std::unique_ptr<Agent> agent(const std::string& nodeslo = "", inputs::PodsSource pods = {}) {
    node_.host.file("nodeslo.yaml", nodeslo);
    AgentOptions options{
        .host_root = node_.host.root(), .state_dir = node_.host.root() + "/state", .stepped = true};
    options.inputs.pods = std::move(pods);
    options.inputs.nodeslo = node_.host.root() + "/nodeslo.yaml";
    options.inputs.node_url = "https://a/n";
    auto created = Agent::create(options, log_, clock_, &wall_);
    EXPECT_TRUE(created.agent) << created.error;
    return std::move(created.agent);
  }
  http::HttpAnswer ready(Agent& agent) {
    agent.tick(MonoTime{} + std::chrono::seconds(++now_));
    return api::Pages(agent.view()).answer({.path = "/readyz"});
  }
  /// The member "pod" of /v1/explain?pod=POD; empty: it has none.
  static std::string pod_in(const Agent& agent, const std::string& pod) {
    const std::string text = api::explain_json(agent.view(), pod);
    const auto from = text.find(R"("pod":{"name")");
    return from == std::string::npos ? "" : text.substr(from, text.find('}', from) + 1 - from);
  }
  FakeNode node_{4, FakeNode::Kernel::v2};
  runtime::Log log_{STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, nullptr};
  runtime::SteppedClock clock_{};
  FixedWallClock wall_{1.7e9};
  int now_ = 0;
};

TEST_F(PagesTest, AnAgentIsReadyWithoutItsNode) {
  const auto one = agent();
  ASSERT_TRUE(one);
  const auto before = ready(*one);
  EXPECT_EQ(before.status, 200) << before.body;
  EXPECT_NE(before.body.find("node: no answer yet\n"), std::string::npos) << before.body;
  one->parts().inputs.trouble(inputs::Inputs::kNode, "403 forbidden");
  const auto refused = ready(*one);
  EXPECT_EQ(refused.status, 200) << refused.body;
  EXPECT_NE(refused.body.find("node: https://a/n: 403 forbidden\n"), std::string::npos) << refused.body;
}

TEST_F(PagesTest, AnAgentIsNotReadyWhileItsConfigurationWaitsForTheNode) {
  const auto one = agent(
      "nodeStrategies:\n- nodeSelector: {matchLabels: {pool: batch}}\n"
      "  resourceUsedThresholdWithBE: {enable: true}\n");
  ASSERT_TRUE(one);
  EXPECT_EQ(ready(*one).status, 503);
  one->parts().inputs.trouble(inputs::Inputs::kNode, "403 forbidden");
  const auto refused = ready(*one);
  EXPECT_EQ(refused.status, 200) << "the common settings are in force\n" << refused.body;
}

TEST_F(PagesTest, AnExplanationSaysWhetherThePodIsKnown) {
  node_.host.file(
      "pods.json",
      std::string(R"({"kind":"PodList","items":[{"metadata":{"namespace":"shop","name":"checkout","uid":")") +
          kUid + R"("},"spec":{"containers":[]},"status":{"phase":"Running","qosClass":"Burstable"}}]})");
  const auto one = agent({}, {inputs::PodsSource::Kind::file, node_.host.root() + "/pods.json"});
  ASSERT_TRUE(one);
  one->tick(MonoTime{} + std::chrono::seconds(1));
  const std::string uid = kUid;
  EXPECT_EQ(pod_in(*one, uid), R"("pod":{"name":")" + uid + R"(","known":true})");
  EXPECT_EQ(pod_in(*one, "shop/checkout"), R"("pod":{"name":"shop/checkout","known":true})");
  EXPECT_EQ(pod_in(*one, "shop/typo"), R"("pod":{"name":"shop/typo","known":false})");
  EXPECT_EQ(pod_in(*one, ""), "");
}

TEST_F(PagesTest, WithoutAPodListAnExplanationDoesNotSayThatThereIsNoSuchPod) {
  const auto waiting = agent({}, {inputs::PodsSource::Kind::file, node_.host.root() + "/absent.json"});
  ASSERT_TRUE(waiting);
  waiting->tick(MonoTime{} + std::chrono::seconds(1));
  EXPECT_EQ(pod_in(*waiting, "shop/checkout"), R"("pod":{"name":"shop/checkout","known":null})");
}

TEST_F(PagesTest, ACgroupTreeGivesUidsButNoNames) {
  const auto one = agent();
  ASSERT_TRUE(one);
  one->tick(MonoTime{} + std::chrono::seconds(1));
  const std::string uid = kUid;
  EXPECT_EQ(pod_in(*one, uid), R"("pod":{"name":")" + uid + R"(","known":true})");
  EXPECT_EQ(pod_in(*one, "shop/checkout"), R"("pod":{"name":"shop/checkout","known":null})");
}

}  // namespace
}  // namespace evenkeel::test
