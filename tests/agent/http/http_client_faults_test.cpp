// Tests the client with faulty servers: bounded memory, bounded time, and ticks that go on.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

TEST(HttpClientFaults, NoServerListens) {
  ScriptedServer server;
  const std::string url = server.url();
  server.stop();
  Asker asker;
  const auto reply = asker.ask({.url = url});
  EXPECT_EQ(reply.status, 0);
  EXPECT_EQ(reply.failure, http::HttpFailure::unreachable);
  EXPECT_EQ(reply.error, "Connection refused");
}

TEST(HttpClientFaults, AnEndlessBodyIsCutOff) {
  ScriptedServer server;
  server.answers([](const Asked&, Exchange& exchange) {
    exchange.send(chunked_head());
    while (exchange.send(chunk(std::string(65536, ' ')))) {
    }
    exchange.close();
  });
  Asker asker;
  const auto reply = asker.ask({.url = server.url(), .longest_body = 1 << 20});
  EXPECT_EQ(reply.failure, http::HttpFailure::too_large);
  EXPECT_EQ(reply.error, "an answer of more than 1048576 bytes");
  EXPECT_FALSE(reply.ok());
  EXPECT_LE(reply.body.size(), 1U << 20);
  const auto lines =
      asker.ask({.url = server.url(), .longest_body = 1 << 20, .line = [](std::string_view) {}});
  EXPECT_EQ(lines.failure, http::HttpFailure::too_large) << "a line without an end";
  std::size_t bytes = 0;
  const auto take_until = [&](std::size_t most) {
    return asker.ask({.url = server.url(), .longest_body = 1 << 20, .piece = [&bytes, most](auto piece) {
                        return (bytes += piece.size()) < most;
                      }});
  };
  EXPECT_EQ(take_until(SIZE_MAX).failure, http::HttpFailure::too_large) << "pieces without an end";
  EXPECT_LE(bytes, 1U << 20);
  bytes = 0;
  const auto unwanted = take_until(100'000);
  EXPECT_EQ(unwanted.failure, http::HttpFailure::unwanted);
  EXPECT_EQ(unwanted.error, "an answer that its reader rejected");
  EXPECT_LT(bytes, 400'000U);
}

// A list of pods may have hundreds of megabytes, since it is not kept; what refuses it is kept.
TEST(HttpClientFaults, AnEndlessRefusalOfALongListIsCutOff) {
  ScriptedServer server;
  server.answers([](const Asked&, Exchange& exchange) {
    exchange.send(chunked_head(503));
    for (int i = 0; i < 160 && exchange.send(chunk(std::string(65536, 'x'))); ++i) {
    }
    exchange.send(chunk(""));
    exchange.close();
  });
  Asker asker;
  constexpr std::size_t kMost = std::size_t{64} << 10, kLongList = std::size_t{512} << 20;
  http::HttpCall pieces{.url = server.url(), .longest_body = kLongList}, lines = pieces;
  pieces.piece = [](std::string_view) { return true; };
  lines.line = [](std::string_view) {};
  for (const auto& call : {pieces, lines}) {
    const auto reply = asker.ask(call);
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.failure, http::HttpFailure::too_large);
    EXPECT_EQ(reply.error, "an answer of more than 65536 bytes");
    EXPECT_LE(reply.body.size(), kMost);
  }
}

TEST(HttpClientFaults, AnEndlessHeadIsCutOff) {
  ScriptedServer server;
  server.answers([](const Asked&, Exchange& exchange) {
    exchange.send("HTTP/1.1 200 OK\r\n");
    while (exchange.send("X-More: " + std::string(4096, 'x') + "\r\n")) {
    }
    exchange.close();
  });
  Asker asker;
  const auto reply = asker.ask({.url = server.url(), .total_timeout = std::chrono::seconds(5)});
  EXPECT_NE(reply.failure, http::HttpFailure::none);
  EXPECT_LT(reply.bytes_in, 64U << 20);
}

struct Broken {
  const char* name;
  ScriptedServer::Script script;
};
void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

class HttpClientBrokenOff : public testing::TestWithParam<Broken> {};

TEST_P(HttpClientBrokenOff, IsAFailureWithAStableText) {
  for (const bool tls : {false, true}) {
    ScriptedServer server({.tls = tls});
    server.answers(GetParam().script);
    Asker asker;
    const auto trust = std::make_shared<http::HttpTls>(http::HttpTls{.unverified = true});
    const auto once = asker.ask({.url = server.url(), .tls = trust});
    const auto again = asker.ask({.url = server.url(), .tls = trust});
    EXPECT_EQ(once.failure, http::HttpFailure::connection_lost) << once.error;
    EXPECT_FALSE(once.ok());
    EXPECT_EQ(once.error, again.error);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, HttpClientBrokenOff,
    testing::Values(
        Broken{"reset before the answer", [](const Asked&, Exchange& exchange) { exchange.reset(); }},
        Broken{"closed before the answer", [](const Asked&, Exchange& exchange) { exchange.close(); }},
        Broken{"reset in the body",
               [](const Asked&, Exchange& exchange) {
                 exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
                 exchange.reset();
               }},
        Broken{"closed in the body",
               [](const Asked&, Exchange& exchange) {
                 exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
                 exchange.close();
               }},
        Broken{"no last chunk",
               [](const Asked&, Exchange& exchange) {
                 exchange.send(chunked_answer("{\"items\":[]}", 4, false));
                 exchange.close();
               }},
        Broken{"half a chunk",
               [](const Asked&, Exchange& exchange) {
                 exchange.send(chunked_head() + "ff\r\n{\"items\":");
                 exchange.close();
               }}),
    [](const auto& each) { return "Case" + std::to_string(each.index); });

TEST(HttpClientFaults, SilentAndSlowServersTimeOut) {
  ScriptedServer silent;
  silent.answers([](const Asked&, Exchange& exchange) { exchange.hang(); });
  ScriptedServer slow;
  slow.answers([](const Asked&, Exchange& exchange) {
    exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    while (exchange.send("x") && exchange.wait(milliseconds(10))) {
    }
    exchange.close();
  });
  Asker asker;
  for (const auto* server : {&silent, &slow}) {
    const auto from = Clock::now();
    const auto reply = asker.ask({.url = server->url(), .total_timeout = milliseconds(300)});
    EXPECT_EQ(reply.failure, http::HttpFailure::timed_out) << reply.error;
    EXPECT_EQ(reply.error, "no complete answer in time");
    EXPECT_LT(Clock::now() - from, std::chrono::seconds(3));
  }
}

TEST(HttpClientFaults, AnUnacceptedConnectionTimesOut) {
  int port = 0;
  const Fd full = listen_on(port, 0);
  std::vector<Fd> queue;  // once full, the kernel accepts no further connection
  for (int i = 0; i < 4; ++i) queue.push_back(begin_to_connect(port));
  Asker asker;
  const auto reply =
      asker.ask({.url = "http://127.0.0.1:" + std::to_string(port), .connect_timeout = milliseconds(200)});
  EXPECT_EQ(reply.failure, http::HttpFailure::timed_out) << reply.error;
}

TEST(HttpClientFaults, AConnectionThatWasClosedWhileIdleIsReplaced) {
  ScriptedServer server;
  server.answers([](const Asked&, Exchange& exchange) {
    exchange.send(http_answer(200, "{}"));
    exchange.close();  // without announcing it
  });
  Asker asker;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(asker.ask({.url = server.url()}).status, 200);
  EXPECT_EQ(server.connections(), 5);
}

TEST(HttpClientFaults, AnAnswerThatIsNotHttpIsRejected) {
  ScriptedServer server;
  server.answers([](const Asked&, Exchange& exchange) {
    exchange.send("\x16\x03\x01 this is something else\r\n\r\n");
    exchange.close();
  });
  Asker asker;
  const auto reply = asker.ask({.url = server.url()});
  EXPECT_FALSE(reply.ok());
  const auto tls = std::make_shared<http::HttpTls>(http::HttpTls{.unverified = true});
  const auto secure =
      asker.ask({.url = "https" + server.url().substr(4), .tls = tls, .connect_timeout = milliseconds(200)});
  EXPECT_EQ(secure.status, 0);
  EXPECT_NE(secure.failure, http::HttpFailure::none);
}

TEST(HttpClientFaults, AStatusOfManyDigitsIsRejected) {
  ScriptedServer server;
  server.answers([](const Asked&, Exchange& exchange) {
    exchange.send("HTTP/2" + std::string(100, '8') + " 1.10 OK\r\nContent-Length: 0\r\n\r\n");
    exchange.close();
  });
  Asker asker;
  const auto reply = asker.ask({.url = server.url()});
  EXPECT_FALSE(reply.ok());
  EXPECT_LE(reply.status, 999);
  EXPECT_NE(reply.error, "");
}

/// Whatever a server does, the event loop keeps running.
TEST(HttpClientFaults, TicksGoOnDuringFaults) {
  ScriptedServer hanging({.tls = true}), endless({.tls = true}), dripping;
  hanging.answers([](const Asked&, Exchange& exchange) { exchange.hang(); });
  endless.answers([](const Asked&, Exchange& exchange) {
    exchange.send(chunked_head());
    while (exchange.send(chunk(std::string(65536, ' ')))) {
    }
    exchange.close();
  });
  dripping.answers([](const Asked&, Exchange& exchange) {
    exchange.send(chunked_head());
    while (exchange.send(chunk("x")) && exchange.wait(milliseconds(1))) {
    }
    exchange.close();
  });
  Asker asker;
  const auto tls = std::make_shared<http::HttpTls>(http::HttpTls{.unverified = true});
  int ended = 0;
  for (const auto* server : {&hanging, &endless, &dripping}) {
    asker.client().start({.url = server->url(), .tls = tls, .total_timeout = std::chrono::seconds(3)},
                         [&](const http::HttpReply& reply) {
                           EXPECT_FALSE(reply.ok());
                           if (++ended == 3) asker.stop();
                         });
  }
  int ticks = 0;
  const auto from = Clock::now();
  Clock::duration longest{};
  auto last = from;
  ASSERT_TRUE(asker.loop().every(milliseconds(10), [&](std::uint64_t) {
    ++ticks;
    longest = std::max(longest, Clock::now() - last);
    last = Clock::now();
  }));
  asker.run();
  EXPECT_GE(ticks, 10) << "in three seconds";
  EXPECT_LT(longest, milliseconds(1500))
      << "a busy machine is forgiven, a wait for one of the servers is not";
}

}  // namespace
}  // namespace evenkeel::test
