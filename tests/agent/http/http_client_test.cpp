// Tests the client with correct servers.
#include "agent/http/http_client.h"

#include <gtest/gtest.h>

#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

std::shared_ptr<const http::HttpTls> trusting(const Authority& authority) {
  return std::make_shared<http::HttpTls>(http::HttpTls{.authorities = authority.certificate()});
}

TEST(HttpClient, ReusesOneConnection) {
  ScriptedServer server({.tls = true});
  server.answers([](const Asked& asked, Exchange& exchange) {
    exchange.send(chunked_answer("{\"path\":\"" + asked.target + "\"}", 5));
  });
  Asker asker;
  const auto tls = trusting(server.authority());
  const auto first = asker.ask({.url = server.url("/a"), .tls = tls});
  EXPECT_EQ(first.status, 200) << first.error;
  EXPECT_EQ(first.body, "{\"path\":\"/a\"}");
  EXPECT_EQ(first.content_type, "application/json");
  EXPECT_TRUE(first.ok());
  EXPECT_GT(first.bytes_in, first.body.size());
  EXPECT_GT(first.bytes_out, 10U);
  EXPECT_EQ(asker.ask({.url = server.url("/b"), .tls = tls}).body, "{\"path\":\"/b\"}");
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(asker.client().in_flight(), 0U);
}

TEST(HttpClient, SendsMethodHeadersAndBody) {
  ScriptedServer server;
  Asker asker;
  const std::string body(200'000, 'x');
  for (const char* method : {"PATCH", "POST", "PUT", "DELETE"}) {
    const auto reply = asker.ask({.method = method,
                                  .url = server.url("/n"),
                                  .headers = {"Content-Type: application/json-patch+json", "X-A: b"},
                                  .body = body});
    EXPECT_EQ(reply.status, 200) << reply.error;
    const Asked asked = server.asked().back();
    EXPECT_EQ(asked.method, method);
    EXPECT_EQ(asked.body, body);
    EXPECT_EQ(asked.header("content-type"), "application/json-patch+json");
    EXPECT_EQ(asked.header("x-a"), "b");
    EXPECT_EQ(asked.header("expect"), "");
  }
  EXPECT_EQ(asker.ask({.method = "POST", .url = server.url()}).status, 200) << "without a body";
  EXPECT_EQ(server.asked().back().header("content-length"), "0");
}

TEST(HttpClient, RejectsServersOutsideItsCa) {
  ScriptedServer server({.tls = true});
  const Authority stranger("a stranger");
  Asker asker;
  for (const auto& tls : {trusting(stranger), std::make_shared<const http::HttpTls>(),
                          std::shared_ptr<const http::HttpTls>()}) {
    const auto reply = asker.ask({.url = server.url(), .headers = {"Authorization: Bearer s"}, .tls = tls});
    EXPECT_EQ(reply.status, 0);
    EXPECT_EQ(reply.failure, http::HttpFailure::untrusted) << reply.error;
    EXPECT_NE(reply.error, "");
  }
  EXPECT_TRUE(server.asked().empty()) << "the token was sent to an unknown server";
  const auto unverified = std::make_shared<http::HttpTls>(http::HttpTls{.unverified = true});
  EXPECT_EQ(asker.ask({.url = server.url(), .tls = unverified}).status, 200);
}

TEST(HttpClient, VerifiesTheNameInTheCertificate) {
  ScriptedServer server({.tls = true, .names = {"node-7.example"}});
  Asker asker;
  http::HttpTls tls{.authorities = server.authority().certificate()};
  const auto wrong = asker.ask({.url = server.url(), .tls = std::make_shared<http::HttpTls>(tls)});
  EXPECT_EQ(wrong.failure, http::HttpFailure::untrusted) << wrong.error;
  tls.server_name = "node-7.example";
  const auto right = asker.ask({.url = server.url("/x"), .tls = std::make_shared<http::HttpTls>(tls)});
  EXPECT_EQ(right.status, 200) << right.error;
  EXPECT_EQ(server.asked().back().target, "/x");
}

TEST(HttpClient, SendsItsClientCertificate) {
  ScriptedServer server({.tls = true, .ask_for_certificate = true});
  Asker asker;
  http::HttpTls tls{.authorities = server.authority().certificate()};
  EXPECT_EQ(asker.ask({.url = server.url(), .tls = std::make_shared<http::HttpTls>(tls)}).status, 200);
  EXPECT_EQ(server.asked().back().client, "");
  const Certificate mine = server.authority().issue({"system:node:a"});
  tls.certificate = mine.certificate;
  tls.key = mine.key;
  EXPECT_EQ(asker.ask({.url = server.url(), .tls = std::make_shared<http::HttpTls>(tls)}).status, 200);
  EXPECT_EQ(server.asked().back().client, "system:node:a");
  tls.key = "no key";
  EXPECT_EQ(Asker().ask({.url = server.url(), .tls = std::make_shared<http::HttpTls>(tls)}).failure,
            http::HttpFailure::untrusted);
}

TEST(HttpClient, PassesOnAWatchLineByLine) {
  ScriptedServer server;
  server.answers([](const Asked&, Exchange& exchange) {
    exchange.send(chunked_head() + chunk("{\"type\":\"ADDED\"}\n{\"ty"));
    exchange.send(chunk("pe\":\"MODI"));
    exchange.send(chunk("FIED\"}\n"));
    exchange.hang();
  });
  Asker asker;
  std::vector<std::string> lines;
  http::HttpId id = 0;
  bool ended = false;
  int begun = 0;
  id = asker.client().start({.url = server.url(),
                             .total_timeout = Duration::zero(),
                             .line =
                                 [&](std::string_view line) {
                                   lines.emplace_back(line);
                                   if (lines.size() < 2) return;
                                   asker.client().cancel(id);  // from inside a callback
                                   asker.stop();
                                 },
                             .begun =
                                 [&] {
                                   ++begun;
                                   EXPECT_TRUE(lines.empty());
                                 }},
                            [&](const http::HttpReply&) { ended = true; });
  asker.run();
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(lines, (std::vector<std::string>{"{\"type\":\"ADDED\"}", "{\"type\":\"MODIFIED\"}"}));
  EXPECT_FALSE(ended) << "cancelled means not called";
  EXPECT_EQ(asker.client().in_flight(), 0U);
}

TEST(HttpClient, BeginsAWatchAfterAHeaderWithoutCarriageReturns) {
  ScriptedServer server;
  server.answers(
      [](const Asked&, Exchange& exchange) { exchange.send("HTTP/1.1 200 OK\nContent-Length: 2\n\na\n"); });
  Asker asker;
  std::string seen;
  const auto reply = asker.ask({.url = server.url(),
                                .line = [&](std::string_view line) { seen += line; },
                                .begun = [&] { seen += "begun, "; }});
  EXPECT_TRUE(reply.ok()) << reply.error;
  EXPECT_EQ(seen, "begun, a");
}

TEST(HttpClient, KeepsTheBodyOfARejectedWatch) {
  ScriptedServer server;
  server.answers(
      [](const Asked&, Exchange& exchange) { exchange.send(http_answer(410, "{\"code\":410}\n")); });
  Asker asker;
  const auto reply = asker.ask({.url = server.url(),
                                .line = [](std::string_view) { ADD_FAILURE() << "no line of a watch"; },
                                .begun = [] { ADD_FAILURE() << "nor has one begun"; }});
  EXPECT_EQ(reply.status, 410);
  EXPECT_EQ(reply.body, "{\"code\":410}\n");
}

TEST(HttpClient, PassesOnABodyInPiecesAndKeepsThatOfARejection) {
  ScriptedServer server;
  server.answers([](const Asked& asked, Exchange& exchange) {
    const bool large = asked.target == "/large";
    exchange.send(large ? chunked_answer(std::string(300'000, 'x'), 1000) : http_answer(403, "no"));
  });
  Asker asker;
  std::size_t bytes = 0, begun = 0;
  const auto ask = [&](const char* path) {
    return asker.ask({.url = server.url(path),
                      .longest_body = 300'000,
                      .piece =
                          [&](std::string_view piece) {
                            bytes += piece.size();
                            return true;
                          },
                      .begun = [&] { ++begun; }});
  };
  const auto reply = ask("/large");
  EXPECT_TRUE(reply.ok()) << reply.error;
  EXPECT_EQ(reply.body, "");
  EXPECT_EQ(bytes, 300'000U);
  EXPECT_EQ(begun, 1U);
  EXPECT_EQ(ask("/other").body, "no");
  EXPECT_EQ(begun, 1U);
}

TEST(HttpClient, ACallbackMayStartTheNextRequest) {
  ScriptedServer server;
  server.answers([](const Asked&, Exchange& exchange) { exchange.send(http_answer(200, "one\ntwo\n")); });
  Asker asker;
  int answered = 0;
  const auto count = [&](const http::HttpReply&) {
    if (++answered == 3) asker.stop();
  };
  asker.client().start({.url = server.url("/1"),
                        .line =
                            [&](std::string_view line) {  // inside a libcurl callback
                              if (line == "one") asker.client().start({.url = server.url("/2")}, count);
                            }},
                       [&](const http::HttpReply& reply) {
                         count(reply);
                         asker.client().start({.url = server.url("/3")}, count);
                       });
  asker.run();
  EXPECT_EQ(server.asked().size(), 3U);
}

TEST(HttpClient, ACancelledRequestGetsNoCallback) {
  ScriptedServer server;
  Asker asker;
  const auto never = [](const http::HttpReply&) { ADD_FAILURE() << "cancelled"; };
  const auto at_once = asker.client().start({.url = server.url("/never")}, never);
  asker.client().cancel(at_once);
  asker.client().cancel(at_once);
  asker.client().cancel(4711);
  server.answers([](const Asked&, Exchange& exchange) { exchange.send(http_answer(200, "{}")); });
  http::HttpId other = 0;
  asker.client().start({.url = server.url("/a")}, [&](const http::HttpReply&) {
    asker.client().cancel(other);
    asker.stop();
  });
  server.answers([](const Asked& asked, Exchange& exchange) {
    if (asked.target == "/b") return exchange.hang();
    exchange.send(http_answer(200, "{}"));
  });
  other = asker.client().start({.url = server.url("/b")}, never);
  asker.run();
  EXPECT_EQ(asker.client().in_flight(), 0U);
}

TEST(HttpClient, ReadsRetryAfter) {
  ScriptedServer server;
  server.answers(
      [](const Asked&, Exchange& exchange) { exchange.send(http_answer(429, "{}", "Retry-After: 7\r\n")); });
  Asker asker;
  EXPECT_EQ(asker.ask({.url = server.url()}).retry_after, Duration(std::chrono::seconds(7)));
  server.answers([](const Asked&, Exchange& exchange) {
    exchange.send(http_answer(503, "{}", "Retry-After: never mind\r\n"));
  });
  EXPECT_EQ(asker.ask({.url = server.url()}).retry_after, std::nullopt);
}

TEST(HttpClient, FollowsNoRedirectOrOtherScheme) {
  ScriptedServer elsewhere;
  ScriptedServer server;
  server.answers([&](const Asked&, Exchange& exchange) {
    exchange.send(http_answer(301, "", "Location: " + elsewhere.url("/x") + "\r\n"));
  });
  Asker asker;
  EXPECT_EQ(asker.ask({.url = server.url()}).status, 301);
  EXPECT_TRUE(elsewhere.asked().empty());
  EXPECT_EQ(asker.ask({.url = "file:///etc/passwd"}).status, 0);
}

TEST(HttpGet, BlocksUntilTheAnswer) {
  ScriptedServer server;
  EXPECT_EQ(http::http_get(server.url()).status, 200);
  EXPECT_EQ(http::http_get(server.url()).body, "{}");
  const std::string url = server.url();
  server.stop();
  EXPECT_EQ(http::http_get(url).status, 0);
  EXPECT_EQ(http::http_get(url).error, "Connection refused");
}

TEST(HttpLines, AreCompleteOrRejected) {
  http::LineJoiner joiner(4);
  std::string seen;
  const auto add = [&](std::string_view line) { seen.append(line).append("|"); };
  EXPECT_TRUE(joiner.add("ab", add));
  EXPECT_TRUE(joiner.add("cd\n\nx", add));
  EXPECT_EQ(seen, "abcd||");
  EXPECT_FALSE(joiner.add("yzuv", add)) << "five without an end";
}

}  // namespace
}  // namespace evenkeel::test
