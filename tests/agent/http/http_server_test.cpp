// Tests the server with clients that are slow, go away, are too many, or come from elsewhere.
#include "agent/http/http_server.h"

#include <gtest/gtest.h>

#include <list>

#include "agent/http/http_client.h"
#include "tests/support/fakes/raw_client.h"
#include "tests/support/fakes/served.h"
#include "tests/support/soon.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kRequest = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

bool answered(const std::string& text) { return text.starts_with("HTTP/1.1 200 OK\r\n"); }

TEST(HttpServer, EndsAHeaderThatDripsInAtItsDeadline) {
  const Served server({.header = milliseconds(300)});
  RawClient client(server.port());
  const auto from = std::chrono::steady_clock::now();
  ASSERT_TRUE(client.send("GET / HTTP/1.1\r\nHost: localhost\r\nX: "));
  while (client.send("x") && !client.closed()) ASSERT_EQ(client.read(milliseconds(30)), "");
  const auto took = std::chrono::steady_clock::now() - from;
  EXPECT_GE(took, milliseconds(300));
  EXPECT_LT(took, seconds(10)) << "each byte restarted the wait";
}

TEST(HttpServer, EndsAClientThatSaysNothing) {
  const Served server({.header = milliseconds(100)});
  RawClient client(server.port());
  EXPECT_EQ(client.read(), "");
  EXPECT_TRUE(client.closed());
}

TEST(HttpServer, EndsAClientThatDoesNotReadItsAnswer) {
  const std::string large(std::size_t{32} << 20, 'x');
  const Served server({.answer = milliseconds(300)}, [&](const http::HttpRequest&) {
    return http::HttpAnswer{200, "text/plain", large};
  });
  RawClient client(server.port());
  ASSERT_TRUE(client.send(kRequest));
  std::this_thread::sleep_for(milliseconds(1000));
  const auto got = client.read();
  EXPECT_TRUE(client.closed());
  EXPECT_LT(got.size(), large.size()) << "it waited for the client";
  EXPECT_GT(got.size(), 1000U);
}

// Copies of a large page for clients that do not read would fill the memory.
TEST(HttpServer, AnswersThatNobodyReadsAreBoundedInAll) {
  const std::string large(http::Connections::kMostUnread / 2 - 1, 'x');
  const Served server({}, [&](const http::HttpRequest& request) {
    return http::HttpAnswer{200, "text/plain", request.path == "/large" ? large : "ok\n"};
  });
  const auto asks = [](const RawClient& client, const std::string& path) {
    return client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  };
  const auto status = [&](const std::string& path) {
    RawClient client(server.port());
    return asks(client, path) ? client.read().substr(0, std::string("HTTP/1.1 200").size()) : "nothing";
  };
  EXPECT_EQ(status("/large"), "HTTP/1.1 200");
  std::list<RawClient> lazy;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(asks(lazy.emplace_back(server.port()), "/large"));
  EXPECT_TRUE(soon([&] { return status("/large") == "HTTP/1.1 503"; }));
  EXPECT_EQ(status("/small"), "HTTP/1.1 200") << "a probe's answer is small";
  lazy.clear();
  EXPECT_TRUE(soon([&] { return status("/large") == "HTTP/1.1 200"; })) << "they still count";
}

TEST(HttpServer, KeepsAConnectionForFurtherRequestsUntilItIsIdle) {
  const Served server({.idle = milliseconds(300)});
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    EXPECT_TRUE(answered(client.read(milliseconds(100)))) << i;
    EXPECT_FALSE(client.closed()) << i;
  }
  EXPECT_EQ(client.read(), "");
  EXPECT_TRUE(client.closed());
}

TEST(HttpServer, AnswersNewcomersWhileMoreThanItHasPlacesForAreSlow) {
  const Served server({.header = seconds(60)});
  std::list<RawClient> slow;
  for (std::size_t i = 0; i < 3 * http::Connections::kLibraryLimit; ++i) {
    ASSERT_TRUE(slow.emplace_back(server.port()).send("GET /")) << i;
    if (i % 16 != 0) continue;
    RawClient probe(server.port());
    ASSERT_TRUE(probe.send(kRequest));
    ASSERT_TRUE(answered(probe.read())) << i;
  }
  EXPECT_EQ(slow.front().read(), "");
  EXPECT_TRUE(slow.front().closed()) << "the oldest gave way";
  ASSERT_TRUE(slow.back().send("healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
  EXPECT_TRUE(answered(slow.back().read())) << "the newest is still served";
}

TEST(HttpServer, TellsItsOwnerAndNotStandardErrorWhatTheLibrarySays) {
  const Served server;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(soon([&] {
    RawClient client(server.port());
    if (client.send("GET /")) std::this_thread::sleep_for(milliseconds(5));
    client.abort();
    return !server.complaints().empty();
  }));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(server.complaints().front().ends_with('\n'));
}

TEST(HttpServer, AnswersOnlyForItsOwnNames) {
  const Served server;
  const auto asked_as = [&](const std::string& host) {
    RawClient client(server.port());
    EXPECT_TRUE(client.send("GET /healthz HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n"));
    return client.read();
  };
  for (const char* host : {"localhost", "LOCALHOST:9319", "localhost.", "127.0.0.1:9319", "10.0.0.7",
                           "[::1]:80", "node-1:9319", "Node-1"})
    EXPECT_TRUE(answered(asked_as(std::string("Host: ") + host + "\r\n"))) << host;
  for (const char* host :
       {"evil.example", "evil.example:9319", "localhost.evil.example", "127.0.0.1.evil.example",
        "node-1.evil.example", "user@localhost", "localhost/x", "localhost:x", ""}) {
    const auto answer = asked_as(std::string("Host: ") + host + "\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ")) << host << "\n" << answer;
    EXPECT_NE(answer.find("legal: localhost, an IP address, node-1\n"), std::string::npos) << answer;
  }
  RawClient old(server.port());
  EXPECT_TRUE(old.send("GET /healthz HTTP/1.0\r\n\r\n"));
  EXPECT_NE(old.read().find(" 200 OK"), std::string::npos) << "no browser leaves the Host out";
}

TEST(HttpServer, OnlyReads) {
  const Served server;
  RawClient client(server.port());
  ASSERT_TRUE(client.send("DELETE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
  const auto answer = client.read();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 405 ")) << answer;
  EXPECT_NE(answer.find("Allow: GET, HEAD"), std::string::npos) << answer;
  RawClient with_body(server.port());
  ASSERT_TRUE(with_body.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc"));
  const auto refused = with_body.read();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 405 ")) << refused;
}

TEST(HttpServer, SaysWhyItCannotListen) {
  const Served server;
  const auto second = http::HttpServer::open({"127.0.0.1", server.port()}, {});
  EXPECT_EQ(second.server, nullptr);
  EXPECT_EQ(second.error,
            "cannot listen on 127.0.0.1:" + std::to_string(server.port()) + ": Address already in use");
}

}  // namespace
}  // namespace evenkeel::test
