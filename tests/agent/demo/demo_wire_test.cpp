// What goes over a connection between the demo's generator and a server.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "agent/demo/wire.h"
#include "cgroup/base/result.h"

namespace evenkeel::demo {
namespace {

/// Both ends of a connection.
class Pair {
 public:
  explicit Pair(int type) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()), 0);
    generator_ = Fd(ends[0]);
    server_ = Fd(ends[1]);
  }
  [[nodiscard]] int generator() const { return generator_.get(); }
  std::string received() {
    std::array<char, 65536> bytes{};
    const ssize_t length = ::recv(server_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
  }
  void answer(std::string_view bytes) {
    EXPECT_EQ(::send(server_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void close_server() { server_ = Fd(); }

 private:
  Fd generator_{}, server_{};
};

using Numbers = std::vector<std::size_t>;

TEST(DemoWire, TheBuiltinServersAnswersSayWhatTheyAnswer) {
  Pair pair(SOCK_SEQPACKET);
  const auto wire = builtin_wire(pair.generator());
  ASSERT_TRUE(wire->send(7));
  ASSERT_TRUE(wire->send(8));
  const std::string first = pair.received(), second = pair.received();
  pair.answer(second);
  pair.answer(first);
  Numbers answered;
  EXPECT_TRUE(wire->take(answered));
  EXPECT_TRUE(wire->take(answered));
  EXPECT_EQ(answered, (Numbers{8, 7}));
  pair.close_server();
  EXPECT_FALSE(wire->take(answered));
  EXPECT_FALSE(wire->send(9));
}

TEST(DemoWire, RedisAnswersInOrderAndInPieces) {
  Pair pair(SOCK_STREAM);
  const auto wire = redis_wire(pair.generator());
  for (const std::size_t number : {4U, 5U, 6U, 11U}) ASSERT_TRUE(wire->send(number));
  EXPECT_EQ(pair.received(), redis_request(4) + redis_request(5) + redis_request(6) + redis_request(11));
  Numbers answered;
  pair.answer("+PONG\r\n+O");
  ASSERT_TRUE(wire->take(answered));
  EXPECT_EQ(answered, (Numbers{4}));
  pair.answer("K\r\n$3\r\nv\r\n\r\n$-");
  ASSERT_TRUE(wire->take(answered));
  EXPECT_EQ(answered, (Numbers{4, 5, 6}));
  pair.answer("1\r\n");
  ASSERT_TRUE(wire->take(answered));
  EXPECT_EQ(answered, (Numbers{4, 5, 6, 11}));
  EXPECT_TRUE(wire->take(answered)) << "nothing has come";
}

TEST(DemoWire, AnErrorAnAnswerTooManyAndAClosedConnectionEndIt) {
  Numbers answered;
  for (const char* answer : {"-ERR unknown command\r\n", "+OK\r\n+OK\r\n"}) {
    Pair pair(SOCK_STREAM);
    const auto wire = redis_wire(pair.generator());
    ASSERT_TRUE(wire->send(0));
    pair.answer(answer);
    EXPECT_FALSE(wire->take(answered)) << answer;
  }
  Pair pair(SOCK_STREAM);
  const auto wire = redis_wire(pair.generator());
  pair.close_server();
  EXPECT_FALSE(wire->take(answered));
  EXPECT_FALSE(wire->send(0));
}

TEST(DemoWire, ARequestThatDoesNotFitIsNotSentInPart) {
  Pair pair(SOCK_STREAM);
  const auto wire = redis_wire(pair.generator());
  std::string expected, received;
  // A server that reads nothing for a while: the socket becomes full.
  for (std::size_t number = 0; number < 20'000; ++number) ASSERT_TRUE(wire->send(number));
  for (std::string part = pair.received(); !part.empty(); part = pair.received()) received += part;
  for (std::size_t number = 0; expected.size() < received.size(); ++number) expected += redis_request(number);
  EXPECT_EQ(received, expected);
  EXPECT_LT(received.size(), 20'000 * redis_request(0).size());
  ASSERT_TRUE(wire->send(20'000));
  EXPECT_EQ(pair.received(), redis_request(20'000)) << "there is room again";
}

TEST(DemoRedis, RequestsAreShortAndGetWhatWasSet) {
  EXPECT_EQ(redis_request(0), "*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(redis_request(1), "*3\r\n$3\r\nSET\r\n$4\r\nkey0\r\n$64\r\n" + std::string(64, 'v') + "\r\n");
  EXPECT_EQ(redis_request(2), "*2\r\n$3\r\nGET\r\n$4\r\nkey0\r\n");
  EXPECT_EQ(redis_request(3), redis_request(2));
  EXPECT_EQ(redis_request(42), "*2\r\n$3\r\nGET\r\n$5\r\nkey10\r\n");
  EXPECT_EQ(redis_request(401), redis_request(1)) << "a hundred keys: the memory does not grow";
}

TEST(DemoRedis, AnswersMayComeByteByByte) {
  const std::string text = "+PONG\r\n$-1\r\n$0\r\n\r\n$5\r\na\r\nbc\r\n+OK\r\n";
  RedisReplies replies;
  std::size_t complete = 0;
  for (const char byte : text) {
    const auto more = replies.add(std::string_view(&byte, 1));
    ASSERT_TRUE(more);
    complete += *more;
  }
  EXPECT_EQ(complete, 5U);
  EXPECT_EQ(RedisReplies().add(text), 5U);
}

TEST(DemoRedis, WhatIsNoAnswerIsRefused) {
  for (const std::string& text :
       {std::string("-ERR\r\n"), std::string(":1\r\n"), std::string("*0\r\n"), std::string("\r\n"),
        std::string("$-2\r\n"), std::string("$\r\n"), std::string("$1x\r\n"),
        std::string("$99999999999999999999\r\n"), std::string("$1025\r\n"), std::string("$1\r\nabc\r\n"),
        std::string("HTTP/1.1 400 Bad Request\r\n"), std::string(100, '+'),
        '+' + std::string(70, 'a') + "\r\n", std::string(4, '\0') + "\r\n"})
    EXPECT_FALSE(RedisReplies().add(text)) << text;
}

}  // namespace
}  // namespace evenkeel::demo
