// Tests the Node's condition: which problems are published, for how long, and that it is removed.
#include <gtest/gtest.h>

#include "agent/kube/node_reporter.h"
#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/fixed_wall.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

constexpr const char* kOff = R"({"status":{"conditions":[{"$patch":"delete","type":"EvenkeelDegraded"}]}})";

TEST(ConditionPatch, IsOneConditionWithItsReason) {
  EXPECT_EQ(kube::condition_patch(record::Degraded{"PodsStale", "an \"old\" list"}, 0, 60),
            R"({"status":{"conditions":[{"type":"EvenkeelDegraded","status":"True","reason":"PodsStale",)"
            R"("message":"an \"old\" list","lastTransitionTime":"1970-01-01T00:00:00Z",)"
            R"("lastHeartbeatTime":"1970-01-01T00:01:00Z"}]}})");
  EXPECT_EQ(kube::condition_patch(std::nullopt, 0, 0), kOff);
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
  std::vector<std::string> failures{};
  const record::Degraded trouble{"LeversRefused", "EROFS"}, other{"PodsStale", "an old list"};
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  kube::NodeCondition condition =
      std::move(kube::NodeCondition::open(
                    asker.loop(), api, clock, wall, [] { return 0.0; }, {.node = "n1"},
                    [this](const std::string& why) { failures.push_back(why); })
                    .value());
};

TEST_F(NodeConditionTest, AHealthyAgentRemovesAnEarlierConditionOnce) {
  for (int i = 0; i < 10; ++i) condition.publish(std::nullopt);
  until(1);
  clock.advance(seconds(100));
  condition.publish(std::nullopt);
  condition.clear(seconds(20));
  ASSERT_EQ(server.asked().size(), 1U);
  EXPECT_EQ(server.asked()[0].target, "/api/v1/nodes/n1/status");
  EXPECT_EQ(server.asked()[0].header("content-type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(body(0), kOff);
}

TEST_F(NodeConditionTest, OnlyLastingProblemsArePublished) {
  condition.publish(trouble);
  clock.advance(seconds(29));
  condition.publish(trouble);
  condition.publish(std::nullopt);  // a short problem
  until(1);
  EXPECT_EQ(body(0), kOff);
  clock.advance(seconds(20));
  condition.publish(trouble);
  clock.advance(seconds(20));
  wall.at += 40;
  condition.publish(trouble);
  until(2);
  EXPECT_NE(body(1).find(
                R"("reason":"LeversRefused","message":"EROFS","lastTransitionTime":"2026-11-21T03:18:06Z")"),
            std::string::npos)
      << body(1);
  wall.at += 60;
  clock.advance(seconds(60));
  condition.publish(trouble);
  condition.publish(other);
  until(3);
  EXPECT_NE(body(2).find(R"("reason":"PodsStale")"), std::string::npos) << body(2);
  EXPECT_NE(body(2).find(
                R"("lastTransitionTime":"2026-11-21T03:18:06Z","lastHeartbeatTime":"2026-11-21T03:19:06Z")"),
            std::string::npos)
      << "still the same degradation: " << body(2);
  clock.advance(seconds(2));
  condition.publish(std::nullopt);
  until(4);
  EXPECT_EQ(body(3), kOff);
}

TEST_F(NodeConditionTest, TheConditionIsRemovedWhenTheAgentStops) {
  clock.advance(seconds(31));
  condition.publish(trouble);
  until(1);
  clock.advance(seconds(5));
  condition.clear(seconds(20));
  ASSERT_EQ(server.asked().size(), 2U);
  EXPECT_EQ(body(1), kOff);
}

TEST_F(NodeConditionTest, AStopDoesNotWaitForASilentServer) {
  clock.advance(seconds(31));
  condition.publish(trouble);
  until(1);
  clock.advance(seconds(5));
  server.answers([](const Asked&, Exchange& exchange) { exchange.hang(); });
  condition.clear(std::chrono::milliseconds(50));
  SUCCEED() << "it has returned";
}

TEST_F(NodeConditionTest, ARejectionIsReportedOnceAndRetried) {
  answer = http_answer(403, R"({"kind":"Status","message":"nodes is forbidden"})");
  condition.publish(std::nullopt);
  until(1);
  clock.advance(seconds(90));
  condition.publish(trouble);
  until(2);
  EXPECT_EQ(failures, std::vector<std::string>{"403 nodes is forbidden"});
}

}  // namespace
}  // namespace evenkeel::test
