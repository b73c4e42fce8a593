// Tests an API server that is unreachable, rejects requests or sends invalid data: a watch reports it, waits,
// and resumes.
#include <gtest/gtest.h>

#include "tests/support/agents/api_watcher.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- failures

TEST_F(ObjectWatchTest, OneBrokenWatchIsNotReported) {
  server_.watched([](Exchange& exchange) {
    exchange.send(chunked_head() + chunk(bookmark_json(20)) + "40\r\n{\"type\":\"ADDED\",");
    exchange.reset();
  });
  until([this] { return watches() == 2 && confirmed_ >= 2; });
  EXPECT_EQ(events_, ReceivedEvents{"absent"});
  EXPECT_TRUE(last_asked("resourceVersion=20&"));
}

TEST_F(ObjectWatchTest, RepeatedlyBrokenWatchesAreReported) {
  options_.watch.stable_after = seconds(1);
  server_.watched_for_ever([](Exchange& exchange) {
    exchange.send(chunked_head() + "ff\r\n{\"type\":");
    exchange.reset();
  });
  const std::string says = "trouble: the connection ended before the answer was complete";
  until([this] { return events_.size() == 4; });
  EXPECT_EQ(events_, (ReceivedEvents{"absent", says, says, says}));
  EXPECT_GE(watches(), 4) << "of the first nothing was said";
  EXPECT_EQ(lists(), 1) << "where it was is not lost";
}

TEST_F(ObjectWatchTest, AMissingServerIsRetried) {
  server_.lists(7, {object(5)});
  until([this] { return watches() == 1; });
  server_.http().stop();
  until("trouble: Connection refused");
  WatchedServer other(server_.http().port());
  other.lists(99, {object(50)});
  other.watched(saying({event_json("MODIFIED", object(60))}));
  until("object 60");
  EXPECT_EQ(events_.front(), "object 5");
  EXPECT_EQ(other.asked_for("watch=true"), static_cast<int>(other.asked().size()))
      << "where it was is not lost";
  EXPECT_EQ(other.asked_for("resourceVersion=7&"), 1);
}

struct Refusal {
  int status;
  const char* says;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.status; }
class ObjectWatchRefused : public ObjectWatchTest, public testing::WithParamInterface<Refusal> {};

TEST_P(ObjectWatchRefused, ReportsTheReasonAndBacksOff) {
  server_.lists([](const Asked&, Exchange& exchange) {
    exchange.send(http_answer(GetParam().status, R"({"kind":"Status","message":"so it is","code":)" +
                                                     std::to_string(GetParam().status) + "}"));
  });
  run(milliseconds(800));
  ASSERT_GE(events_.size(), 2U);
  EXPECT_LE(events_.size(), 9U) << "10, 20, 40, 80, 160, 200 ms apart";
  for (const auto& each : events_) EXPECT_EQ(each, std::string("trouble: ") + GetParam().says);
  server_.lists(7, {object(5)});
  until("object 5");
}

TEST_P(ObjectWatchRefused, AlsoForAWatch) {
  server_.lists(7, {object(5)});
  for (int i = 0; i < 2; ++i)
    server_.watched([](Exchange& exchange) { exchange.send(http_answer(GetParam().status, "so it is")); });
  const auto says = std::string("trouble: ") + GetParam().says;
  until([this] { return confirmed_ >= 1; });
  EXPECT_EQ(events_, (ReceivedEvents{"object 5", says, says})) << "a list would say that all is well";
  EXPECT_EQ(lists(), 1);
}

INSTANTIATE_TEST_SUITE_P(Table, ObjectWatchRefused,
                         testing::Values(Refusal{401, "401 so it is"}, Refusal{403, "403 so it is"},
                                         Refusal{404, "404 so it is"}, Refusal{429, "429 so it is"},
                                         Refusal{500, "500 so it is"}, Refusal{503, "503 so it is"}),
                         [](const auto& each) { return "Case" + std::to_string(each.param.status); });

TEST_F(ObjectWatchTest, HonoursRetryAfter) {
  server_.lists([](const Asked&, Exchange& exchange) {
    exchange.send(http_answer(429, "later", "Retry-After: 60\r\n"));
  });
  run(milliseconds(400));
  EXPECT_EQ(server_.asked().size(), 1U);
  EXPECT_EQ(events_, ReceivedEvents{"trouble: 429 later"});
}

TEST_F(ObjectWatchTest, AReplacedTokenIsUsed) {
  server_.lists([this](const Asked& asked, Exchange& exchange) {
    if (asked.header("authorization") == "Bearer new")
      return void(exchange.send(http_answer(200, list_json(7, {object(5)}))));
    token("new");
    exchange.send(http_answer(401, "Unauthorized", {}, "text/plain"));
  });
  EXPECT_EQ(until("object 5"), ReceivedEvents{"object 5"}) << "without a trouble";
}

TEST_F(ObjectWatchTest, AnErrorEventIsReported) {
  server_.lists(7, {object(5)});
  server_.watched(saying({gone_json(500, "etcdserver: leader changed"), event_json("MODIFIED", object(8))}));
  until([this] { return watches() == 2; });
  EXPECT_EQ(events_, (ReceivedEvents{"object 5", "trouble: 500 etcdserver: leader changed"}))
      << "and what stands behind it is not believed";
  EXPECT_TRUE(last_asked("resourceVersion=7&"));
}

// --- invalid data

struct Hostile {
  const char* name;
  std::string line;
};
void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.name; }
class ObjectWatchHostile : public ObjectWatchTest, public testing::WithParamInterface<Hostile> {};

TEST_P(ObjectWatchHostile, IsAbortedAndListedAgain) {
  options_.watch.longest = 1 << 20;
  server_.lists(7, {object(5)});
  server_.watched([this](Exchange& exchange) {
    server_.lists(99, {object(50)});
    exchange.send(chunked_head());
    for (std::size_t at = 0; at < GetParam().line.size(); at += 65536)
      if (!exchange.send(chunk(std::string_view(GetParam().line).substr(at, 65536)))) break;
    exchange.hang();
  });
  EXPECT_EQ(until([this] { return last_asked("resourceVersion=99&"); }),
            (ReceivedEvents{"object 5", "object 50"}));
}

INSTANTIATE_TEST_SUITE_P(
    Table, ObjectWatchHostile,
    testing::Values(
        Hostile{"garbage", "<html>\n"}, Hostile{"an empty line", "\n"},
        Hostile{"half a line", "{\"type\":\"ADDED\",\"object\":{\n"}, Hostile{"no type", "{\"object\":{}}\n"},
        Hostile{"no object", "{\"type\":\"ADDED\"}\n"},
        Hostile{"another type", event_json("EXPLODED", object(8))},
        Hostile{"no version", event_json("ADDED", R"({"metadata":{"name":"node-1"}})")},
        Hostile{"a version that would be a question of its own",
                event_json("ADDED", R"({"metadata":{"name":"node-1","resourceVersion":"8&limit=1"}})")},
        Hostile{"huge", "{\"type\":\"" + std::string(2 << 20, 'x') + "\"}\n"},
        Hostile{"a line without an end", std::string(2 << 20, ' ')},
        Hostile{"deep", "{\"type\":\"ADDED\",\"object\":" + std::string(500'000, '[') + "\n"},
        Hostile{"a deep spec",
                event_json("ADDED", nodeslo_json(kName, 8, std::string(100, '[') + std::string(100, ']')))},
        Hostile{"an object in a list", event_json("ADDED", "[" + object(8) + "]")},
        Hostile{"a list", list_json(8, {object(8)})}),
    [](const auto& each) { return "Case" + std::to_string(each.index); });

TEST_F(ObjectWatchTest, AnInvalidListIsReported) {
  struct Bad {
    std::string body;
    const char* says;
  };
  options_.watch.longest = 1 << 20;
  const std::vector<Bad> all = {
      {"<html>", "trouble: answer"},
      {"{}", "trouble: the answer is not a list of objects"},
      {R"({"metadata":{"resourceVersion":"7"},"items":{}})", "trouble: the answer is not a list of objects"},
      {R"({"metadata":{"resourceVersion":"7&x"},"items":[]})",
       "trouble: the answer is not a list of objects"},
      {list_json(7, {R"({"metadata":{"name":"node-1"}})"}), "trouble: the object has no version"},
      {"{\"items\":" + std::string(500'000, '['), "trouble: answer"},
      {std::string(2 << 20, ' '), "trouble: answer: found more than 1 MiB beside the items of a list"}};
  for (const auto& bad : all) {
    events_.clear();
    watch_.reset();
    server_.lists([&](const Asked&, Exchange& exchange) { exchange.send(chunked_answer(bad.body)); });
    until([this] { return events_.size() >= 2; });
    EXPECT_EQ(events_[0].rfind(bad.says, 0), 0U) << events_[0];
    EXPECT_EQ(events_[0], events_[1]);
    EXPECT_LT(events_[0].size(), 300U);
  }
}

TEST_F(ObjectWatchTest, ASlowlyDrippingAnswerTimesOut) {
  options_.watch.watch_lifetime = seconds(1);
  options_.watch.stale_after = milliseconds(200);
  server_.lists(7, {object(5)});
  server_.watched([](Exchange& exchange) {
    exchange.send(chunked_head());
    const auto event = event_json("MODIFIED", object(8));
    for (const char byte : event)
      if (!exchange.send(chunk(std::string_view(&byte, 1))) || !exchange.wait(milliseconds(50))) break;
    exchange.close();
  });
  until([this] { return watches() == 2; });
  EXPECT_EQ(events_, ReceivedEvents{"object 5"});
  EXPECT_TRUE(last_asked("resourceVersion=7&")) << "half an event is none";
}

}  // namespace
}  // namespace evenkeel::test
