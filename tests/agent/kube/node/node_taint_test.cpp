// The Node's taint: others' taints stay, a change meanwhile is noticed, and the taint goes with the agent.
#include "agent/kube/node/node_taint.h"

#include <gtest/gtest.h>

#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string kOurs = R"({"key":"evenkeel.io/contended","effect":"PreferNoSchedule"})";
const std::string kGpu =
    R"({"key":"gpu","value":"yes","effect":"NoSchedule","timeAdded":"2026-01-01T00:00:00Z"})";

std::string node(const std::string& version, const std::string& taints) {
  return R"({"kind":"Node","metadata":{"resourceVersion":")" + version + R"("},"spec":{)" +
         (taints.empty() ? "" : R"("taints":[)" + taints + ']') + "}}";
}

TEST(TaintPatch, KeepsTheTaintsOfOthersAndHoldsForOneVersion) {
  struct Case {
    std::string taints;
    bool wanted;
    std::string patched;
  };
  const std::vector<Case> cases = {
      {"", true, '[' + kOurs + ']'},
      {"", false, "null"},
      {kOurs, false, "null"},
      {kGpu, true, '[' + kGpu + ',' + kOurs + ']'},
      {kGpu + ',' + kOurs, false, '[' + kGpu + ']'},
      {R"({"key":"evenkeel.io/contended","effect":"NoExecute"})", false,
       R"([{"key":"evenkeel.io/contended","effect":"NoExecute"}])"},
  };
  for (const auto& c : cases) {
    const auto seen = kube::taints_in(node("7", c.taints));
    ASSERT_TRUE(seen) << c.taints;
    EXPECT_EQ(kube::taint_patch(*seen, c.wanted),
              R"({"metadata":{"resourceVersion":"7"},"spec":{"taints":)" + c.patched + "}}");
  }
}

TEST(TaintPatch, WhatCannotBeWrittenBackIsNotTouched) {
  EXPECT_FALSE(kube::taints_in(node("7", R"({"key":"a","since":3})")));
  EXPECT_FALSE(kube::taints_in(node("7", R"({"key":"a","more":{}})")));
  EXPECT_FALSE(kube::taints_in(node("7", "3")));
  EXPECT_FALSE(kube::taints_in(node("", "")));
  EXPECT_FALSE(kube::taints_in(R"({"kind":"Status"})"));
  EXPECT_FALSE(kube::taints_in("nonsense"));
}

/// A server that keeps one Node, changes it as a patch of the right version says, and refuses others.
class NodeTaintTest : public testing::Test {
 protected:
  void SetUp() override {
    server.answers([this](const Asked& asked, Exchange& exchange) { exchange.send(answer_to(asked.body)); });
    ASSERT_TRUE(asker.loop().every(milliseconds(1), [this](std::uint64_t) {
      clock.advance(seconds(1));
      if (waiting_for > 0 && server.asked().size() >= waiting_for) asker.stop();
    }));
  }
  std::string answer_to(const std::string& body) {
    if (refusal != 0) return http_answer(refusal, R"({"kind":"Status","message":"no"})");
    const auto at = body.find(R"("resourceVersion":")");
    if (at != std::string::npos) {
      if (std::stoi(body.substr(at + 19)) != version)
        return http_answer(409, R"({"kind":"Status","message":"the object has been modified"})");
      const auto from = body.find(R"("taints":)") + 9;
      const auto text = body.substr(from, body.size() - 2 - from);
      taints = text == "null" ? "" : text.substr(1, text.size() - 2);
      ++version;
    }
    const auto now = http_answer(200, node(std::to_string(version), taints));
    if (std::exchange(touched, false)) ++version;  // by another client, right after this answer
    return now;
  }
  void until(std::size_t requests) {
    waiting_for = requests;
    if (server.asked().size() < requests) asker.run();
    waiting_for = 0;
    for (int i = 0; i < 20; ++i) settle();
  }
  void settle() {
    const auto soon = asker.loop().timer([this] { asker.stop(); });
    soon->arm(milliseconds(5));
    asker.run();
  }

  // Declared before the server, whose thread uses them.
  std::string taints = kGpu;
  int version = 7;
  int refusal = 0;
  bool touched = false;
  ScriptedServer server{};
  Asker asker{};
  runtime::SteppedClock clock{};
  std::size_t waiting_for = 0;
  std::vector<std::string> failures{};
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  kube::NodeTaint taint =
      std::move(kube::NodeTaint::open(
                    asker.loop(), api, clock, [] { return 0.0; },
                    {.node = "n1", .min_interval = milliseconds(1), .longest_wait = milliseconds(5)},
                    [this](const std::string& why) { failures.push_back(why); })
                    .value());
};

TEST_F(NodeTaintTest, IsSetBesideTheOthersAndTakenOffAgain) {
  taint.publish(true);
  until(2);
  EXPECT_EQ(taints, kGpu + ',' + kOurs);
  EXPECT_EQ(server.asked()[0].body, "{}") << "it reads first";
  EXPECT_EQ(server.asked()[0].target, "/api/v1/nodes/n1");
  EXPECT_EQ(server.asked()[0].header("content-type"), "application/merge-patch+json");
  taint.publish(true);
  taint.publish(false);
  until(4);
  EXPECT_EQ(taints, kGpu);
  EXPECT_EQ(server.asked().size(), 4U) << "nothing is sent while nothing changes";
  EXPECT_TRUE(failures.empty());
}

TEST_F(NodeTaintTest, WithoutConfigurationNothingIsAsked) {
  for (int i = 0; i < 5; ++i) taint.publish(std::nullopt);
  settle();
  taint.clear(seconds(1));
  EXPECT_TRUE(server.asked().empty());
}

TEST_F(NodeTaintTest, ATaintOfAnEarlierRunIsTakenOff) {
  taints = kGpu + ',' + kOurs;
  taint.publish(false);
  until(2);
  EXPECT_EQ(taints, kGpu);
}

TEST_F(NodeTaintTest, AChangeByAnotherClientIsReadAgain) {
  touched = true;
  taint.publish(true);
  until(4);
  EXPECT_EQ(taints, kGpu + ',' + kOurs);
  EXPECT_TRUE(failures.empty()) << "no problem: " << failures.front();
}

TEST_F(NodeTaintTest, GoesWhenTheAgentStopsAndWhenItIsNoLongerConfigured) {
  taint.publish(true);
  until(2);
  taint.publish(std::nullopt);
  until(4);
  EXPECT_EQ(taints, kGpu);
  taint.publish(true);
  until(6);
  taint.clear(seconds(20));
  EXPECT_EQ(taints, kGpu);
}

TEST_F(NodeTaintTest, ARefusalIsReportedOnceAndRetried) {
  refusal = 403;
  taint.publish(true);
  until(3);
  EXPECT_EQ(failures, std::vector<std::string>{"403 no"});
  EXPECT_EQ(taints, kGpu);
  refusal = 0;
  until(server.asked().size() + 2);
  EXPECT_EQ(taints, kGpu + ',' + kOurs);
}

}  // namespace
}  // namespace evenkeel::test
