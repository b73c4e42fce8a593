// Tests Events on pods: which are sent, which are not repeated, and a server that rejects them.
#include <gtest/gtest.h>

#include "agent/cli/setup.h"
#include "agent/document/document.h"
#include "agent/kube/pod_requests.h"
#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/fixed_wall.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

/// Time advances only by the tests, except for the loop's own timers.
class PodEventsTest : public testing::Test {
 protected:
  void SetUp() override {
    take(http_answer(201, "{}"));
    ASSERT_TRUE(asker.loop().every(milliseconds(1), [this](std::uint64_t) {
      if (settled()) asker.stop();
    }));
  }
  void take(std::string answer) {
    server.answers([answer = std::move(answer)](const Asked&, Exchange& exchange) { exchange.send(answer); });
  }
  /// Runs until the counters have `events` events.
  void settle(std::uint64_t events) {
    wanted = events;
    if (!settled()) asker.run();
    EXPECT_TRUE(settled());
  }
  [[nodiscard]] bool settled() const {
    return events_.counters().sent + events_.counters().dropped == wanted;
  }
  static kube::PodEvent event(const std::string& pod = "p", const std::string& about = {}) {
    return {"default", pod, "uid-" + pod, "LeverRefused", "cannot", about};
  }
  ScriptedServer server{};
  Asker asker{};
  runtime::SteppedClock clock{};
  FixedWallClock wall{1795231046.7};
  std::vector<std::string> failures{};
  std::uint64_t wanted = 0;
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  kube::PodEvents events_ =
      std::move(kube::PodEvents::open(
                    asker.loop(), api, clock, wall, [] { return 0.0; }, {.node = "n1", .burst = 3},
                    [this](const std::string& why) { failures.push_back(why); })
                    .value());
};

TEST_F(PodEventsTest, DescribesTheActionOnThePod) {
  events_.send({"shop", "cart-1", "u1", "Evicting", "a \"reason\"", {}});
  settle(1);
  ASSERT_EQ(server.asked().size(), 1U);
  const auto asked = server.asked()[0];
  EXPECT_EQ(asked.method, "POST");
  EXPECT_EQ(asked.target, "/api/v1/namespaces/shop/events");
  EXPECT_EQ(asked.header("content-type"), "application/json");
  EXPECT_EQ(
      asked.body,
      R"({"apiVersion":"v1","kind":"Event","metadata":{"generateName":"cart-1.","namespace":"shop"},)"
      R"("involvedObject":{"apiVersion":"v1","kind":"Pod","namespace":"shop","name":"cart-1","uid":"u1"},)"
      R"("type":"Warning","reason":"Evicting","message":"a \"reason\"",)"
      R"("source":{"component":"evenkeel","host":"n1"},"reportingComponent":"evenkeel","reportingInstance":"n1",)"
      R"("firstTimestamp":"2026-11-21T03:17:26Z","lastTimestamp":"2026-11-21T03:17:26Z","count":1})");
}

TEST_F(PodEventsTest, WithoutAPodItIsAboutTheNode) {
  events_.send({.reason = "LeverHarms", .message = "cpu-burst: why", .about = "cpu-burst"});
  settle(1);
  ASSERT_EQ(server.asked().size(), 1U);
  EXPECT_EQ(server.asked()[0].target, "/api/v1/namespaces/default/events");
  EXPECT_NE(server.asked()[0].body.find(R"("metadata":{"generateName":"n1.","namespace":"default"},)"
                                        R"("involvedObject":{"kind":"Node","name":"n1","uid":"n1"})"),
            std::string::npos)
      << server.asked()[0].body;
}

TEST_F(PodEventsTest, RepeatsAreCountedAndSentAgainLater) {
  for (int i = 0; i < 5; ++i) events_.send(event());
  settle(1);
  EXPECT_EQ(events_.counters().repeated, 4U);
  clock.advance(minutes(11));
  wall.at += 660;
  events_.send(event());
  settle(2);
  ASSERT_EQ(server.asked().size(), 2U);
  const auto body = server.asked()[1].body;
  EXPECT_NE(
      body.find(
          R"("firstTimestamp":"2026-11-21T03:17:26Z","lastTimestamp":"2026-11-21T03:28:26Z","count":6)"),
      std::string::npos)
      << body;
}

TEST_F(PodEventsTest, DifferentFilesAndPodsAreDifferentEvents) {
  events_.send(event("p", "cpu.max"));
  events_.send(event("p", "cpu.idle"));
  events_.send(event("q", "cpu.max"));
  settle(3);
  EXPECT_EQ(events_.counters().repeated, 0U);
}

TEST_F(PodEventsTest, ABurstIsLimitedAndRefillsOverTime) {
  for (int i = 0; i < 100; ++i) events_.send(event("p" + std::to_string(i)));
  settle(100);
  EXPECT_EQ(events_.counters().sent, 3U);
  EXPECT_EQ(events_.counters().dropped, 97U);
  clock.advance(std::chrono::seconds(13));
  for (int i = 100; i < 110; ++i) events_.send(event("p" + std::to_string(i)));
  settle(110);
  EXPECT_EQ(events_.counters().sent, 5U) << "two more after 13 s";
}

TEST_F(PodEventsTest, ARejectionIsReportedOnceAndTheEventDropped) {
  take(http_answer(403, R"({"kind":"Status","message":"events is forbidden"})"));
  events_.send(event("a"));
  events_.send(event("b"));
  settle(2);
  EXPECT_EQ(failures, std::vector<std::string>{"403 events is forbidden"});
  EXPECT_EQ(server.asked().size(), 2U) << "not asked again";
  EXPECT_EQ(events_.counters().dropped, 2U);
}

TEST_F(PodEventsTest, ABusyServerIsRetried) {
  server.answers([this](const Asked&, Exchange& exchange) {
    exchange.send(server.asked().size() == 1 ? http_answer(503, "busy") : http_answer(201, "{}"));
  });
  events_.send(event());
  settle(1);
  EXPECT_EQ(events_.counters().sent, 1U);
  EXPECT_TRUE(failures.empty());
}

TEST_F(PodEventsTest, AnotherEventDoesNotEndThePauseAfterAFailure) {
  server.answers([this](const Asked&, Exchange& exchange) {
    exchange.send(server.asked().size() == 1 ? http_answer(503, "busy") : http_answer(201, "{}"));
  });
  std::vector<MonoTime> seen;
  ASSERT_TRUE(asker.loop().every(milliseconds(5), [&](std::uint64_t) {
    if (seen.size() >= server.asked().size()) return;
    seen.push_back(runtime::SystemClock().now());
    if (seen.size() == 1) events_.send(event("q"));
  }));
  events_.send(event());
  settle(2);
  EXPECT_EQ(server.asked().size(), 3U);
  ASSERT_FALSE(seen.empty());
  EXPECT_GE(runtime::SystemClock().now() - seen[0], milliseconds(400)) << "the first pause is 0.8 s";
}

TEST_F(PodEventsTest, ALongMessageIsCutBetweenCharacters) {
  kube::PodEvent longish = event();
  for (int i = 0; i < 1000; ++i) longish.message += "é";
  events_.send(longish);
  settle(1);
  const auto parsed = document::parse_json(server.asked()[0].body, "event");
  ASSERT_TRUE(parsed.problems.empty());
  EXPECT_EQ(document::text_at(parsed.root, {"message"}).size(), 1000U);
}

TEST(NodesEvent, SaysWhenContentionBeginsAndEndsAndWhichLeverHarms) {
  const auto text = [](const record::AuditEvent& event) {
    const auto sent = cli::event_for_node(event);
    EXPECT_TRUE(sent.name.empty()) << "it is on the Node";
    return sent.reason + ": " + sent.message;
  };
  EXPECT_EQ(text({.kind = "contended", .path = "node", .why = "services wait"}), "Contended: services wait");
  EXPECT_EQ(text({.kind = "contention-over", .path = "node", .why = "w"}), "ContentionOver: w");
  EXPECT_EQ(text({.kind = "lever-harms", .path = "cpu-idle", .why = "w"}), "LeverHarms: cpu-idle: w");
}

TEST(OwnersEvent, ReportsWhatConcernsThePodsOwner) {
  Pod pod;
  pod.namespace_ = "shop", pod.name = "cart", pod.uid = "u";
  const auto of = [&](const record::AuditEvent& event) { return cli::event_for_owner(pod, event); };
  const auto refused =
      of({.kind = "refused", .path = "a/cpu.max", .new_text = "5", .why = "the kernel said EINVAL"});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason, "LeverRefused");
  EXPECT_EQ(refused->message, "evenkeel cannot apply 5 to a/cpu.max: the kernel said EINVAL");
  EXPECT_EQ(refused->about, "a/cpu.max");
  EXPECT_EQ(of({.kind = "evict", .why = "w"})->message, "evenkeel requests the eviction of this pod: w");
  EXPECT_EQ(of({.kind = "not-evicted", .why = "w"})->reason, "NotEvicted");
  EXPECT_EQ(of({.kind = "yielded", .path = "f", .new_text = "7", .by = "tool[1]"})->message,
            "tool[1] has set f to 7, where it stays from now on");
  const auto limited = of({.kind = "antagonist-limited", .by = "interference", .why = "limited to 1 CPU"});
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->reason + (": " + limited->message), "AntagonistLimited: limited to 1 CPU");
  for (const char* kind : {"antagonist-confirmed", "antagonist-cleared", "antagonist-released",
                           "suspect-tested", "suspect-innocent", "suspect-unclear"})
    EXPECT_TRUE(of({.kind = kind, .why = "w"})) << kind;
  for (const char* kind : {"interference", "write", "restore", "foreign", "would-evict", "config"})
    EXPECT_FALSE(of({.kind = kind})) << kind;
}

}  // namespace
}  // namespace evenkeel::test
