// Tests evictions through a real HTTP server with the answers of a Kubernetes 1.20 API server.
#include <gtest/gtest.h>

#include <atomic>

#include "agent/kube/pod_requests.h"
#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Kind = kube::Evictor::Outcome::Kind;

constexpr const char* kOld =
    R"({"kind":"APIResourceList","resources":[{"name":"pods","kind":"Pod"},{"name":"pods/eviction","group":"policy","version":"v1beta1","kind":"Eviction"}]})";
constexpr const char* kNew =
    R"({"kind":"APIResourceList","resources":[{"name":"pods/eviction","group":"policy","version":"v1","kind":"Eviction"}]})";
constexpr const char* kUnregistered =
    R"({"kind":"Status","status":"Failure","message":"no kind \"Eviction\" is registered for version \"policy/v1\" in scheme \"pkg/api\"","reason":"BadRequest","code":400})";
constexpr const char* kBudget =
    R"({"kind":"Status","status":"Failure","message":"Cannot evict pod as it would violate the pod's disruption budget.","reason":"TooManyRequests","details":{"causes":[{"reason":"DisruptionBudget","message":"The disruption budget pdb-a needs 1 healthy pods and has 1 currently"}]},"code":429})";
constexpr const char* kTwoBudgets =
    R"({"kind":"Status","status":"Failure","message":"This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.","code":500})";

struct EvictorTest : testing::Test {
  ScriptedServer server{};
  Asker asker{};
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  std::vector<kube::Evictor::Outcome> events{};
  std::size_t wanted = 1;
  kube::Evictor evictor = std::move(kube::Evictor::open(
                                        asker.loop(), api, [] { return 0.0; },
                                        [this](const auto& outcome) {
                                          events.push_back(outcome);
                                          if (events.size() == wanted) asker.stop();
                                        })
                                        .value());

  void answers(const std::string& discovery, std::string eviction) {
    server.answers([discovery, eviction = std::move(eviction)](const Asked& asked, Exchange& exchange) {
      exchange.send(asked.method == "GET" ? http_answer(200, discovery) : eviction);
    });
  }
  kube::Evictor::Outcome ask(const std::string& name = "p1") {
    events.clear();
    evictor.request({.namespace_ = "batch", .name = name, .uid = "uid-" + name});
    asker.run();
    return events.empty() ? kube::Evictor::Outcome{} : events.back();
  }
};

TEST_F(EvictorTest, AsksWithTheServedVersionAndTheUid) {
  answers(kOld, http_answer(201, R"({"kind":"Status","status":"Success","code":201})"));
  const auto outcome = ask();
  EXPECT_EQ(outcome.kind, Kind::accepted);
  EXPECT_EQ(outcome.uid, "uid-p1");
  ASSERT_EQ(server.asked().size(), 2U);
  EXPECT_EQ(server.asked()[0].target, "/api/v1");
  EXPECT_EQ(server.asked()[1].target, "/api/v1/namespaces/batch/pods/p1/eviction");
  EXPECT_EQ(server.asked()[1].header("content-type"), "application/json");
  EXPECT_EQ(
      server.asked()[1].body,
      R"({"apiVersion":"policy/v1beta1","kind":"Eviction","metadata":{"name":"p1","namespace":"batch"},)"
      R"("deleteOptions":{"preconditions":{"uid":"uid-p1"}}})");
  EXPECT_EQ(ask("p2").kind, Kind::accepted);
  EXPECT_EQ(server.asked().size(), 3U) << "the version is asked for once";
}

TEST_F(EvictorTest, UsesTheNewVersionWhereItIsServed) {
  answers(kNew, http_answer(201, "{}"));
  EXPECT_EQ(ask().kind, Kind::accepted);
  EXPECT_NE(server.asked()[1].body.find("\"policy/v1\""), std::string::npos);
}

TEST_F(EvictorTest, WithoutTheRightToDiscoverItTriesPolicyV1) {
  server.answers([](const Asked& asked, Exchange& exchange) {
    if (asked.method == "GET") return void(exchange.send(http_answer(403, "Forbidden", {}, "text/plain")));
    const bool old = asked.body.find("policy/v1beta1") != std::string::npos;
    exchange.send(old ? http_answer(201, "{}") : http_answer(400, kUnregistered));
  });
  EXPECT_EQ(ask().kind, Kind::accepted);
  EXPECT_EQ(server.asked().size(), 3U);
}

TEST_F(EvictorTest, ADisruptionBudgetDelaysTheRetry) {
  answers(kOld, http_answer(429, kBudget));
  auto outcome = ask();
  EXPECT_EQ(outcome.kind, Kind::refused);
  EXPECT_EQ(outcome.not_before, seconds(30));
  EXPECT_NE(outcome.why.find("pdb-a needs 1 healthy"), std::string::npos) << outcome.why;
  EXPECT_EQ(server.asked().size(), 2U) << "not hammered";
  answers(kOld, http_answer(429, kBudget, "Retry-After: 120\r\n"));
  EXPECT_EQ(ask().not_before, seconds(120));
}

TEST_F(EvictorTest, AnOverloadedServerIsNoDisruptionBudget) {
  const std::string not_ready =
      R"({"kind":"Status","status":"Failure","message":"storage is (re)initializing","reason":"TooManyRequests","code":429})";
  int posts = 0;
  server.answers([&](const Asked& asked, Exchange& exchange) {
    if (asked.method == "GET") return void(exchange.send(http_answer(200, kOld)));
    const char* now = "Retry-After: 0\r\n";
    if (++posts == 1)
      exchange.send(http_answer(429, "Too many requests, please try again later.\n", now, "text/plain"));
    else
      exchange.send(posts == 2 ? http_answer(429, not_ready, now) : http_answer(201, "{}"));
  });
  EXPECT_EQ(ask().kind, Kind::accepted);
  EXPECT_EQ(posts, 3);
  EXPECT_EQ(server.asked().back().target, "/api/v1/namespaces/batch/pods/p1/eviction");
}

TEST_F(EvictorTest, AServerThatStaysOverloadedHasNotEvictedThePod) {
  answers(kOld, http_answer(429, "Too many requests\n", "Retry-After: 0\r\n", "text/plain"));
  const auto outcome = ask();
  EXPECT_EQ(outcome.kind, Kind::refused) << "unknown would mean that it may be gone";
  EXPECT_GE(outcome.not_before, seconds(30));
}

TEST_F(EvictorTest, AnotherPodDoesNotEndThePauseThatTheServerAskedFor) {
  std::atomic<int> posts = 0;
  server.answers([&](const Asked& asked, Exchange& exchange) {
    if (asked.method == "GET") return void(exchange.send(http_answer(200, kOld)));
    exchange.send(++posts == 1 ? http_answer(429, "Too many requests\n", "Retry-After: 1\r\n", "text/plain")
                               : http_answer(201, "{}"));
  });
  std::vector<MonoTime> seen;
  ASSERT_TRUE(asker.loop().every(milliseconds(5), [&](std::uint64_t) {
    if (seen.size() >= server.asked().size()) return;
    seen.push_back(runtime::SystemClock().now());
    if (seen.size() == 2) evictor.request({.namespace_ = "batch", .name = "p2", .uid = "uid-p2"});
  }));
  wanted = 2;
  EXPECT_EQ(ask().kind, Kind::accepted);
  EXPECT_EQ(posts, 3) << "p1, p1 again, p2";
  ASSERT_GE(seen.size(), 2U);
  EXPECT_GE(runtime::SystemClock().now() - seen[1], milliseconds(500)) << "the server asked for a second";
}

TEST_F(EvictorTest, APodDoesNotWaitLongerForTheServerThanThePolicyWaitsForThePod) {
  answers(kOld, http_answer(429, "Too many requests\n", "Retry-After: 300\r\n", "text/plain"));
  const auto outcome = ask();
  EXPECT_EQ(outcome.kind, Kind::unknown)
      << "another pod is chosen when the policy no longer waits for this one";
  EXPECT_EQ(server.asked().size(), 2U);
}

TEST_F(EvictorTest, RefusalsThatNeedAnOperatorDelayTheRetryForLong) {
  for (const auto& [status, body] :
       {std::pair(500, kTwoBudgets), std::pair(403, "{}"), std::pair(415, "{}")}) {
    answers(kOld, http_answer(status, body));
    const auto outcome = ask();
    EXPECT_EQ(outcome.kind, Kind::refused) << status;
    EXPECT_EQ(outcome.not_before, minutes(10)) << status;
    EXPECT_NE(outcome.why.find(std::to_string(status)), std::string::npos) << outcome.why;
  }
}

TEST_F(EvictorTest, AMissingPodOrAnotherUidIsGone) {
  for (const int status : {404, 409}) {
    answers(kOld, http_answer(status, R"({"kind":"Status","message":"no such pod"})"));
    EXPECT_EQ(ask().kind, Kind::gone) << status;
  }
}

TEST_F(EvictorTest, ASilentOrBrokenServerIsTriedThreeTimes) {
  answers(kOld, http_answer(503, "busy", "Retry-After: 0\r\n"));
  const auto outcome = ask();
  EXPECT_EQ(outcome.kind, Kind::unknown);
  EXPECT_EQ(server.asked().size(), 4U) << "the discovery, and three questions";
}

TEST_F(EvictorTest, OneRequestAtATime) {
  wanted = 2;
  answers(kOld, http_answer(201, "{}"));
  evictor.request({.namespace_ = "batch", .name = "a", .uid = "1"});
  evictor.request({.namespace_ = "batch", .name = "b", .uid = "2"});
  asker.run();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].uid, "1");
  EXPECT_EQ(events[1].uid, "2");
}

}  // namespace
}  // namespace evenkeel::test
