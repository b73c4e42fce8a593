// Tests the Node's condition: which problems are published, for how long, and that it is removed.
#include "agent/kube/node/node_condition.h"

#include <gtest/gtest.h>

#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/fixed_wall.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

constexpr const char* kOff = R"({"status":{"conditions":[{"$patch":"delete","type":"EvenkeelDegraded"},)"
                             R"({"$patch":"delete","type":"EvenkeelContended"}]}})";

TEST(ConditionPatch, HasBothConditionsWithTheirReasonsAndTheirBeginning) {
  const record::NodeProblem old_list{"PodsStale", "an \"old\" list"}, waits{"CpuContention", "services wait"};
  EXPECT_EQ(
      kube::condition_patch({.degraded = old_list}, {}, 60),
      R"({"status":{"conditions":[{"type":"EvenkeelDegraded","status":"True","reason":"PodsStale",)"
      R"("message":"an \"old\" list","lastTransitionTime":"1970-01-01T00:00:00Z",)"
      R"("lastHeartbeatTime":"1970-01-01T00:01:00Z"},{"$patch":"delete","type":"EvenkeelContended"}]}})");
  EXPECT_EQ(kube::condition_patch({.contended = waits}, {.contended = 30}, 60),
            R"({"status":{"conditions":[{"$patch":"delete","type":"EvenkeelDegraded"},)"
            R"({"type":"EvenkeelContended","status":"True","reason":"CpuContention",)"
            R"("message":"services wait","lastTransitionTime":"1970-01-01T00:00:30Z",)"
            R"("lastHeartbeatTime":"1970-01-01T00:01:00Z"}]}})");
  EXPECT_EQ(kube::condition_patch({}, {}, 0), kOff);
}

class NodeConditionTest : public testing::Test {
 protected:
  void SetUp() override {
    server.answers([this](const Asked&, Exchange& exchange) { exchange.send(answer); });
    ASSERT_TRUE(asker.loop().every(std::chrono::milliseconds(1), [this](std::uint64_t) {
      if (waiting_for > 0 && answered() >= waiting_for) asker.stop();
    }));
  }
  [[nodiscard]] std::uint64_t answered() const {
    std::uint64_t sum = 0;
    for (const auto& [status, count] : api.traffic().requests) sum += count;
    return sum;
  }
  void until(std::uint64_t answers) {
    waiting_for = answers;
    if (answered() < answers) asker.run();
    waiting_for = 0;
  }
  [[nodiscard]] std::string body(std::size_t index) const { return server.asked().at(index).body; }

  std::string answer = http_answer(200, "{}");  // declared before the server, whose thread uses it
  ScriptedServer server{};
  Asker asker{};
  runtime::SteppedClock clock{};
  FixedWallClock wall{1795231046};
  std::uint64_t waiting_for = 0;
  std::size_t under_way = 0;
  std::vector<std::string> failures{};
  const record::NodeProblem trouble{"LeversRefused", "EROFS"}, other{"PodsStale", "an old list"};
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  kube::NodeCondition condition =
      std::move(kube::NodeCondition::open(
                    asker.loop(), api, clock, wall, [] { return 0.0; }, {.node = "n1"},
                    [this](const std::string& why) { failures.push_back(why); })
                    .value());
};

TEST_F(NodeConditionTest, AHealthyAgentRemovesAnEarlierConditionOnce) {
  for (int i = 0; i < 10; ++i) condition.publish({});
  until(1);
  clock.advance(seconds(100));
  condition.publish({});
  condition.clear(seconds(20));
  ASSERT_EQ(server.asked().size(), 1U);
  EXPECT_EQ(server.asked()[0].target, "/api/v1/nodes/n1/status");
  EXPECT_EQ(server.asked()[0].header("content-type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(body(0), kOff);
}

TEST_F(NodeConditionTest, OnlyLastingProblemsArePublished) {
  condition.publish({.degraded = trouble});
  clock.advance(seconds(29));
  condition.publish({.degraded = trouble});
  condition.publish({});  // a short problem
  until(1);
  EXPECT_EQ(body(0), kOff);
  clock.advance(seconds(20));
  condition.publish({.degraded = trouble});
  clock.advance(seconds(20));
  wall.at += 40;
  condition.publish({.degraded = trouble});
  until(2);
  EXPECT_NE(body(1).find(
                R"("reason":"LeversRefused","message":"EROFS","lastTransitionTime":"2026-11-21T03:18:06Z")"),
            std::string::npos)
      << body(1);
  wall.at += 60;
  clock.advance(seconds(60));
  condition.publish({.degraded = trouble});
  condition.publish({.degraded = other});
  until(3);
  EXPECT_NE(body(2).find(R"("reason":"PodsStale")"), std::string::npos) << body(2);
  EXPECT_NE(body(2).find(
                R"("lastTransitionTime":"2026-11-21T03:18:06Z","lastHeartbeatTime":"2026-11-21T03:19:06Z")"),
            std::string::npos)
      << "still the same degradation: " << body(2);
  clock.advance(seconds(2));
  condition.publish({});
  until(4);
  EXPECT_EQ(body(3), kOff);
}

TEST_F(NodeConditionTest, ContentionIsPublishedAtOnceAndOutlivesAProblemOfTheAgent) {
  const record::NodeProblem waits{"CpuContention", "services wait"};
  condition.publish({});
  until(1);
  clock.advance(seconds(2));
  condition.publish({.degraded = trouble, .contended = waits});  // the trouble is too young
  until(2);
  EXPECT_NE(body(1).find(R"({"$patch":"delete","type":"EvenkeelDegraded"})"), std::string::npos) << body(1);
  EXPECT_NE(body(1).find(R"("type":"EvenkeelContended","status":"True","reason":"CpuContention")"),
            std::string::npos)
      << body(1);
  clock.advance(seconds(40));
  wall.at += 42;
  condition.publish({.degraded = trouble, .contended = waits});
  until(3);
  EXPECT_NE(body(2).find(R"("reason":"LeversRefused")"), std::string::npos) << body(2);
  EXPECT_NE(body(2).find(R"("message":"services wait","lastTransitionTime":"2026-11-21T03:17:26Z")"),
            std::string::npos)
      << "it waits since then: " << body(2);
  clock.advance(seconds(5));
  condition.publish({.contended = waits});
  until(4);
  clock.advance(seconds(5));
  condition.publish({});
  until(5);
  EXPECT_EQ(body(4), kOff);
  EXPECT_EQ(server.asked().size(), 5U);
}

TEST_F(NodeConditionTest, TheConditionIsRemovedWhenTheAgentStops) {
  clock.advance(seconds(31));
  condition.publish({.degraded = trouble});
  until(1);
  clock.advance(seconds(5));
  condition.clear(seconds(20));
  ASSERT_EQ(server.asked().size(), 2U);
  EXPECT_EQ(body(1), kOff);
}

TEST_F(NodeConditionTest, AStopWaitsForItsOwnPatchAndNotForAnEarlierOne) {
  server.answers([this](const Asked&, Exchange& exchange) {
    exchange.wait(std::chrono::milliseconds(100));
    exchange.send(answer);
  });
  clock.advance(seconds(31));
  condition.publish({.degraded = trouble});
  ASSERT_TRUE(asker.loop().every(std::chrono::milliseconds(1), [this](std::uint64_t) {
    if (std::exchange(under_way, server.asked().size()) == 0 && under_way == 1) asker.stop();
  }));
  asker.run();  // until the first patch has reached the server
  condition.clear(seconds(20));
  ASSERT_EQ(server.asked().size(), 2U);
  EXPECT_EQ(body(1), kOff);
  EXPECT_EQ(answered(), 2U);
}

TEST_F(NodeConditionTest, AnEarlierAnswerDoesNotConfirmWhatWasSaidSince) {
  clock.advance(seconds(31));
  condition.publish({.degraded = trouble});
  server.answers([this](const Asked&, Exchange& exchange) {
    exchange.wait(std::chrono::milliseconds(100));
    exchange.send(answer);
  });
  ASSERT_TRUE(asker.loop().every(std::chrono::milliseconds(1), [this](std::uint64_t) {
    if (std::exchange(under_way, server.asked().size()) == 0 && under_way == 1) condition.publish({});
  }));
  until(1);
  condition.clear(seconds(20));
  ASSERT_EQ(server.asked().size(), 2U) << "the agent has said that all is well, but the server not heard it";
  EXPECT_EQ(body(1), kOff);
}

TEST_F(NodeConditionTest, AStopDoesNotWaitForASilentServer) {
  clock.advance(seconds(31));
  condition.publish({.degraded = trouble});
  until(1);
  clock.advance(seconds(5));
  server.answers([](const Asked&, Exchange& exchange) { exchange.hang(); });
  condition.clear(std::chrono::milliseconds(50));
  SUCCEED() << "it has returned";
}

TEST_F(NodeConditionTest, ARejectionIsReportedOnceAndRetried) {
  answer = http_answer(403, R"({"kind":"Status","message":"nodes is forbidden"})");
  condition.publish({});
  until(1);
  clock.advance(seconds(90));
  condition.publish({.degraded = trouble});
  until(2);
  EXPECT_EQ(failures, std::vector<std::string>{"403 nodes is forbidden"});
}

}  // namespace
}  // namespace evenkeel::test
