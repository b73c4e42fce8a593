// The Node's amplification annotation: that of another writer stays, the agent does not fight for its own,
// and it goes with the agent.
#include "agent/kube/node/node_amplification.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/annotated_node.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Annotations = AnnotatedNode::Annotations;

const std::string kRatio = "node.koordinator.sh/resource-amplification-ratio";
const std::string kMark = kube::kAmplificationMark;
const std::string kText = R"({"cpu":1.15})";

/// As the agent leaves them, beside one of another kind.
Annotations ours(const std::string& text) { return {{"other", "stays"}, {kRatio, text}, {kMark, text}}; }
const Annotations kNone = {{"other", "stays"}};
const Annotations kOfManager = {{"other", "stays"}, {kRatio, R"({"cpu":1.3,"memory":1.2})"}};

TEST(AmplificationText, HasTwoDecimalsAndIsAboveOne) {
  EXPECT_EQ(kube::amplification_text(1.15), kText);
  EXPECT_EQ(kube::amplification_text(1.5), R"({"cpu":1.50})");
  EXPECT_EQ(kube::amplification_text(5), R"({"cpu":5.00})");
  EXPECT_EQ(kube::amplification_text(1), "");
  EXPECT_EQ(kube::amplification_text(0.9), "");
  EXPECT_EQ(kube::amplification_text(std::nullopt), "");
}

TEST(AmplificationPatch, HoldsForOneVersionAndNamesOnlyWhatDiffers) {
  const kube::Amplification without{.uid = "u", .resource_version = "7"};
  auto with = without;
  with.ratio = with.mark = kText;
  const std::string head = R"({"metadata":{"resourceVersion":"7","annotations":{)";
  EXPECT_EQ(kube::amplification_patch(without, with),
            head + '"' + kRatio + R"(":"{\"cpu\":1.15}",")" + kMark + R"(":"{\"cpu\":1.15}"}}})");
  EXPECT_EQ(kube::amplification_patch(with, without),
            head + '"' + kRatio + R"(":null,")" + kMark + R"(":null}}})");
  auto unmarked = with;
  unmarked.mark.clear();
  EXPECT_EQ(kube::amplification_patch(with, unmarked), head + '"' + kMark + R"(":null}}})");
}

TEST(AmplificationPatch, IsOfANodeOnly) {
  const auto seen = kube::amplification_in(R"({"kind":"Node","metadata":{"uid":"u","resourceVersion":"7"}})");
  EXPECT_EQ(seen, (kube::Amplification{.uid = "u", .resource_version = "7"}));
  for (const char* other : {R"({"kind":"Node","metadata":{"uid":"u"}})", R"({"kind":"Status"})", "nonsense"})
    EXPECT_FALSE(kube::amplification_in(other)) << other;
}

class NodeAmplificationTest : public testing::Test {
 protected:
  void SetUp() override {
    node.set(kNone);
    server.answers(
        [this](const Asked& asked, Exchange& exchange) { exchange.send(node.answer(asked.body)); });
    ASSERT_TRUE(asker.loop().every(milliseconds(1), [this](std::uint64_t) {
      clock.advance(milliseconds(10));
      if (awaited && awaited()) asker.stop();
    }));
  }
  void publish(std::optional<double> standard_cpus, bool marked = false) {
    amplification.publish(standard_cpus, marked, clock.now());
  }
  /// After the time at which the agent looks again.
  void publish_later(std::optional<double> standard_cpus) {
    clock.advance(minutes(5));
    publish(standard_cpus);
  }
  void run_until(std::function<bool()> so) {
    awaited = std::move(so);
    asker.run();
    awaited = {};
  }
  void settle() {
    const auto enough = asker.loop().timer([this] { asker.stop(); });
    enough->arm(milliseconds(100));
    asker.run();
  }
  /// Until there were so many requests, and a while longer: there may be no more.
  void until(std::size_t requests) {
    run_until([&] { return server.asked().size() >= requests; });
    settle();
    EXPECT_EQ(server.asked().size(), requests);
  }
  void expect_left_alone(const std::string& because) {
    ASSERT_FALSE(why_left.empty());
    EXPECT_NE(why_left.back().find(because), std::string::npos) << why_left.back();
  }

  // Declared before the server, whose thread uses it.
  AnnotatedNode node{};
  ScriptedServer server{};
  Asker asker{};
  runtime::SteppedClock clock{};
  std::function<bool()> awaited{};
  std::vector<std::string> failures{}, why_left{};
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  kube::NodeAmplification amplification =
      std::move(kube::NodeAmplification::open(
                    asker.loop(), api, clock, [] { return 0.0; },
                    {.node = "n1", .min_interval = milliseconds(1), .longest_wait = milliseconds(5)},
                    {.failed = [this](const std::string& why) { failures.push_back(why); },
                     .left_alone = [this](const std::string& why) { why_left.push_back(why); }})
                    .value());
};

TEST_F(NodeAmplificationTest, IsWrittenWithTheAgentsMarkAndTakenOffAgain) {
  publish(1.15);
  until(2);
  EXPECT_EQ(node.annotations(), ours(kText));
  EXPECT_EQ(server.asked()[0].body, "{}") << "it reads first";
  EXPECT_EQ(server.asked()[0].target, "/api/v1/nodes/n1/status");
  EXPECT_EQ(server.asked()[0].header("content-type"), "application/merge-patch+json");
  publish(1.15);
  publish(1.3);
  until(4);
  EXPECT_EQ(node.annotations(), ours(R"({"cpu":1.30})"));
  publish(std::nullopt);
  until(6);
  EXPECT_EQ(node.annotations(), kNone);
  publish(1.0);
  until(6);
  EXPECT_TRUE(failures.empty());
  EXPECT_TRUE(why_left.empty());
}

TEST_F(NodeAmplificationTest, WithoutTheWishNothingIsAsked) {
  node.set(kOfManager);
  for (int i = 0; i < 5; ++i) publish_later(std::nullopt);
  until(0);
  amplification.clear(seconds(1));
  EXPECT_TRUE(server.asked().empty());
}

TEST_F(NodeAmplificationTest, WhatAnEarlierRunHasLeftIsTakenOff) {
  node.set(ours(kText));
  publish(std::nullopt, true);
  until(2);
  EXPECT_EQ(node.annotations(), kNone);
  publish(std::nullopt, true);
  until(2);
}

TEST_F(NodeAmplificationTest, WhatAnEarlierRunHasLeftIsTakenOver) {
  node.set(ours(kText));
  publish(1.15);
  until(1);
  publish(1.3);
  until(3);
  EXPECT_EQ(node.annotations(), ours(R"({"cpu":1.30})"));
  EXPECT_TRUE(why_left.empty());
}

TEST_F(NodeAmplificationTest, ThatOfAnotherWriterIsLeftAloneUntilItGoes) {
  node.set(kOfManager);
  publish(1.15);
  until(1);
  publish_later(1.15);
  until(2);
  EXPECT_EQ(node.annotations(), kOfManager);
  EXPECT_EQ(why_left.size(), 1U) << "it is said once";
  expect_left_alone("of another writer, which outranks");
  node.set(kNone);
  publish_later(1.15);
  until(4);
  EXPECT_EQ(node.annotations(), ours(kText));
  EXPECT_EQ(why_left.back(), "");
}

TEST_F(NodeAmplificationTest, ThatOfAnotherWriterOutlivesTheAgent) {
  auto both = kOfManager;
  both[kMark] = kText;  // of an earlier run
  node.set(both);
  publish(1.15);
  until(2);
  EXPECT_EQ(node.annotations(), kOfManager) << "the mark goes, since it marks nothing any more";
  amplification.clear(seconds(1));
  EXPECT_EQ(server.asked().size(), 2U);
}

TEST_F(NodeAmplificationTest, WhatAnotherWriterHasRemovedIsNotPutBack) {
  publish(1.15);
  until(2);
  node.set({{"other", "stays"}, {kMark, kText}});
  publish_later(1.15);
  until(4);
  EXPECT_EQ(node.annotations(), kNone);
  expect_left_alone("writes it again only after it was restarted");
  publish_later(1.3);
  until(5);
  publish_later(1.3);
  amplification.clear(seconds(1));
  until(5);
  EXPECT_EQ(node.annotations(), kNone);
  EXPECT_EQ(why_left.size(), 1U);
}

TEST_F(NodeAmplificationTest, WhatAnotherWriterHasChangedStaysChanged) {
  publish(1.15);
  until(2);
  auto both = kOfManager;
  both[kMark] = kText;
  node.set(both);
  publish_later(1.15);
  until(4);
  EXPECT_EQ(node.annotations(), kOfManager);
  expect_left_alone("has removed or changed");
  amplification.clear(seconds(1));
  until(4);
  EXPECT_EQ(node.annotations(), kOfManager);
}

TEST_F(NodeAmplificationTest, AServerThatDropsItIsNotAskedAgainAndAgain) {
  node.drops(kRatio);
  publish(1.15);
  until(3);
  EXPECT_EQ(node.annotations(), kNone);
  expect_left_alone("has removed or changed");
}

TEST_F(NodeAmplificationTest, ANodeThatIsRegisteredAgainGetsItAgain) {
  publish(1.15);
  until(2);
  node.register_again();
  publish_later(1.15);
  until(4);
  EXPECT_EQ(node.annotations(), (Annotations{{kRatio, kText}, {kMark, kText}}));
  EXPECT_TRUE(why_left.empty());
}

TEST_F(NodeAmplificationTest, AChangeByAnotherClientIsReadAgain) {
  node.touch_soon();
  publish(1.15);
  until(4);
  EXPECT_EQ(node.annotations(), ours(kText));
  EXPECT_TRUE(failures.empty()) << "no problem: " << failures.front();
}

TEST_F(NodeAmplificationTest, AnAnswerThatIsLostDoesNotMakeItAnothersText) {
  std::atomic<int> answers = 0;
  server.answers([&](const Asked& asked, Exchange& exchange) {
    const auto answer = node.answer(asked.body);
    if (++answers == 2) return exchange.reset();
    exchange.send(answer);
  });
  publish(1.15);
  run_until([&] { return answers >= 3; });
  publish_later(1.15);
  const int before = answers;
  run_until([&] { return answers > before; });
  settle();
  EXPECT_EQ(node.annotations(), ours(kText));
  EXPECT_TRUE(why_left.empty());
  server.stop();
}

TEST_F(NodeAmplificationTest, GoesWhenTheAgentStops) {
  publish(1.15);
  until(2);
  amplification.clear(seconds(20));
  EXPECT_EQ(node.annotations(), kNone);
  EXPECT_EQ(server.asked().size(), 4U);
}

TEST_F(NodeAmplificationTest, ARefusalIsReportedOnceAndRetried) {
  std::atomic<bool> refuses = true;
  server.answers([&](const Asked& asked, Exchange& exchange) {
    exchange.send(refuses ? http_answer(403, R"({"kind":"Status","message":"no"})")
                          : node.answer(asked.body));
  });
  publish(1.15);
  run_until([&] { return server.asked().size() >= 3; });
  EXPECT_EQ(failures, std::vector<std::string>{"403 no"});
  EXPECT_EQ(node.annotations(), kNone);
  refuses = false;
  run_until([&] { return node.annotations() == ours(kText); });
  server.stop();
}

}  // namespace
}  // namespace evenkeel::test
