// Tests requests with rotating credentials, and repeated requests.
#include "agent/kube/client/kube_client.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "agent/kube/client/answer.h"
#include "agent/kube/watch/poller.h"
#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/http_script.h"
#include "tests/support/malformed.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class KubeServer : public testing::Test {
 protected:
  void token(const std::string& text) const {
    std::ofstream(dir_.path + "/new") << text << std::flush;
    std::filesystem::rename(dir_.path + "/new", dir_.path + "/token");
  }
  kube::KubeAccess access() const {
    return {.server = server_.url(),
            .authorities = {server_.authority().certificate(), {}},
            .token = {{}, dir_.path + "/token"}};
  }
  kube::KubeClient client() {
    return std::move(kube::KubeClient::open(asker_.loop(), asker_.client(), access(), "api").value());
  }
  http::HttpReply ask(kube::KubeClient& client, http::HttpCall call) {
    http::HttpReply got;
    client.start(std::move(call), [&](http::HttpReply reply) {
      got = std::move(reply);
      asker_.stop();
    });
    asker_.run();
    return got;
  }
  /// The only token that the server accepts.
  void let_in(const std::string& token) {
    server_.answers([token](const Asked& asked, Exchange& exchange) {
      const bool known = asked.header("authorization") == "Bearer " + token;
      exchange.send(known ? http_answer(200, "{}") : http_answer(401, "Unauthorized", {}, "text/plain"));
    });
  }
  StateDir dir_{};
  ScriptedServer server_{{.tls = true}};
  Asker asker_{};
};

TEST_F(KubeServer, RequestsCarryTheCurrentToken) {
  token("one\n");
  let_in("one");
  auto kube = client();
  EXPECT_EQ(ask(kube, {.url = "/a"}).status, 200);
  EXPECT_EQ(server_.asked().back().target, "/a");
  token("two");
  let_in("two");
  EXPECT_EQ(ask(kube, {.url = "/b"}).status, 200) << "rotated: read again before it is refused";
  EXPECT_EQ(server_.connections(), 1) << "a new token needs no new connection";
  EXPECT_EQ(kube.traffic().requests.at(200), 2U);
  EXPECT_GT(kube.traffic().bytes_in, 0U);
}

TEST_F(KubeServer, CountsResponseTimes) {
  token("one");
  server_.answers([](const Asked& asked, Exchange& exchange) {
    if (asked.target == "/slow") exchange.wait(milliseconds(50));
    exchange.send(http_answer(200, "{}"));
  });
  auto kube = client();
  ask(kube, {.url = "/slow"});
  EXPECT_GE(kube.traffic().longest_wait, milliseconds(50));
  const auto slow = kube.traffic().waited;
  ask(kube, {.url = "/watched", .line = [](std::string_view) {}});
  EXPECT_EQ(kube.traffic().waited, slow) << "a watch is to last";
  ask(kube, {.url = "/slow"});
  EXPECT_GE(kube.traffic().waited, slow + milliseconds(50));
}

TEST_F(KubeServer, AReplacedTokenIsRetriedAtOnceAfterARejection) {
  token("old");
  auto kube = client();
  server_.answers([this](const Asked& asked, Exchange& exchange) {
    if (asked.header("authorization") == "Bearer new") return void(exchange.send(http_answer(200, "{}")));
    token("new");
    exchange.send(http_answer(401, "Unauthorized", {}, "text/plain"));
  });
  EXPECT_EQ(ask(kube, {.url = "/"}).status, 200);
  EXPECT_EQ(server_.asked().size(), 2U);
}

TEST_F(KubeServer, ARejectedTokenIsNotRetriedForEver) {
  token("bad");
  let_in("good");
  auto kube = client();
  const auto reply = ask(kube, {.url = "/"});
  EXPECT_EQ(reply.status, 401);
  EXPECT_EQ(kube::trouble(reply), "401 Unauthorized");
  EXPECT_EQ(server_.asked().size(), 1U) << "the same token again would be refused again";
}

TEST_F(KubeServer, NothingIsSentWithoutAUsableToken) {
  auto kube = client();
  const auto reply = ask(kube, {.url = "/"});
  EXPECT_EQ(reply.status, 0);
  EXPECT_EQ(kube::trouble(reply), dir_.path + "/token: cannot be read");
  EXPECT_TRUE(server_.asked().empty());
  const auto cancelled =
      kube.start({.url = "/"}, [](const http::HttpReply&) { ADD_FAILURE() << "cancelled"; });
  kube.cancel(cancelled);
  token("t");
  EXPECT_EQ(ask(kube, {.url = "/"}).status, 200) << "it has come";
}

TEST_F(KubeServer, DestructionCancelsRequestsWithoutCallbacks) {
  token("t");
  server_.answers([](const Asked&, Exchange& exchange) { exchange.hang(); });
  {
    auto kube = client();
    kube.start({.url = "/"}, [](const http::HttpReply&) { ADD_FAILURE() << "its client is gone"; });
    const auto soon = asker_.loop().timer([this] { asker_.stop(); });
    soon->arm(milliseconds(50));
    asker_.run();
  }
  EXPECT_EQ(asker_.client().in_flight(), 0U);
}

TEST_F(KubeServer, ThePollerRepeatsItsRequest) {
  token("t");
  auto kube = client();
  const runtime::SystemClock clock;
  int taken = 0;
  const auto poller = kube::Poller::open(
      asker_.loop(), kube, clock, nullptr,
      {.call = {.url = "/pods"}, .interval = milliseconds(10), .min_interval = milliseconds(1)},
      [&](const http::HttpReply& reply) {
        EXPECT_EQ(reply.status, 200);
        if (++taken == 5) asker_.stop();
        return true;
      });
  asker_.run();
  EXPECT_EQ(server_.asked().size(), 5U);
}

TEST_F(KubeServer, ThePollerBacksOffAfterFailures) {
  token("t");
  server_.answers([](const Asked&, Exchange& exchange) { exchange.send(http_answer(503, "")); });
  auto kube = client();
  const runtime::SystemClock clock;
  std::vector<MonoTime> at;
  const auto poller = kube::Poller::open(asker_.loop(), kube, clock, nullptr,
                                         {.call = {.url = "/"},
                                          .interval = milliseconds(1),
                                          .min_interval = milliseconds(20),
                                          .longest_wait = seconds(1)},
                                         [&](const http::HttpReply&) {
                                           at.push_back(clock.now());
                                           if (at.size() == 4) asker_.stop();
                                           return false;
                                         });
  asker_.run();
  for (std::size_t i = 1; i < at.size(); ++i)
    EXPECT_GE(at[i] - at[i - 1], milliseconds(20) * (1 << (i - 1))) << "20, 40, 80 ms";
}

TEST_F(KubeServer, PollSoonKeepsTheMinimumInterval) {
  token("t");
  auto kube = client();
  const runtime::SystemClock clock;
  std::vector<MonoTime> at;
  auto poller =
      kube::Poller::open(asker_.loop(), kube, clock, nullptr,
                         {.call = {.url = "/"}, .interval = seconds(60), .min_interval = milliseconds(100)},
                         [&](const http::HttpReply&) {
                           at.push_back(clock.now());
                           if (at.size() == 3) asker_.stop();
                           return true;
                         });
  const auto born = asker_.loop().timer([&] { poller->poll_soon(milliseconds(150)); });
  born->arm(milliseconds(10));
  asker_.run();
  for (std::size_t i = 1; i < at.size(); ++i) {
    EXPECT_GE(at[i] - at[i - 1], milliseconds(80));
    EXPECT_LT(at[i] - at[i - 1], seconds(5)) << "not the interval";
  }
}

TEST_F(KubeServer, PollSoonHonoursRetryAfter) {
  token("t");
  server_.answers(
      [](const Asked&, Exchange& exchange) { exchange.send(http_answer(429, "", "Retry-After: 60\r\n")); });
  auto kube = client();
  const runtime::SystemClock clock;
  std::optional<kube::Poller> poller;
  poller = std::move(kube::Poller::open(asker_.loop(), kube, clock, nullptr,
                                        {.call = {.url = "/"}, .min_interval = milliseconds(1)},
                                        [&](const http::HttpReply&) { return false; })
                         .value());
  const auto hurry = asker_.loop().timer([&] { poller->poll_soon(seconds(5)); });
  hurry->arm(milliseconds(60));
  const auto enough = asker_.loop().timer([&] { asker_.stop(); });
  enough->arm(milliseconds(150));
  asker_.run();
  EXPECT_EQ(server_.asked().size(), 1U);
}

TEST(KubeAnswer, IsOneReadableLine) {
  EXPECT_EQ(kube::trouble({.status = 200}), "");
  EXPECT_EQ(kube::trouble({.status = 403, .body = "Forbidden (user=u, verb=get)\nmore"}),
            "403 Forbidden (user=u, verb=get)");
  EXPECT_EQ(kube::trouble({.status = 500}), "500");
  EXPECT_EQ(kube::trouble({.failure = http::HttpFailure::unreachable, .error = "Connection refused"}),
            "Connection refused");
  EXPECT_EQ(
      kube::trouble(
          {.status = 404,
           .body = R"({"kind":"Status","message":"nodes \"n\" not found","reason":"NotFound","code":404})"}),
      "404 nodes \"n\" not found");
  EXPECT_LT(kube::trouble({.status = 500, .body = std::string(100'000, 'x')}).size(), 300U);
  EXPECT_EQ(kube::trouble({.status = 500, .body = "a\x1b[2Jb"}), "500 a [2Jb");
}

TEST(KubeAnswer, ARefusedEvictionNamesItsCause) {
  const auto status = kube::parse_status(
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Cannot evict pod as it would violate the pod's disruption budget.","reason":"TooManyRequests","details":{"causes":[{"reason":"DisruptionBudget","message":"The disruption budget pdb-a needs 1 healthy pods and has 1 currently"}]},"code":429})");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->reason, "TooManyRequests");
  ASSERT_EQ(status->causes.size(), 1U);
  EXPECT_EQ(status->causes[0].reason, "DisruptionBudget");
}

TEST(KubeAnswer, MalformedBodiesAreNotAStatus) {
  for (const auto& text : malformed_texts()) {
    EXPECT_FALSE(kube::parse_status(text));
    EXPECT_LT(kube::trouble({.status = 500, .body = text}).size(), 300U);
  }
  EXPECT_FALSE(kube::parse_status(R"({"kind":"Pod"})"));
  EXPECT_FALSE(kube::parse_status(std::string(1 << 20, '{')));
}

}  // namespace
}  // namespace evenkeel::test
