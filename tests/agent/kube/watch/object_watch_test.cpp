// Tests watching one object of an API server: the requests, and the reported changes.
#include <gtest/gtest.h>

#include "tests/support/agents/api_watcher.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- reported changes

TEST_F(ObjectWatchTest, ListsAndThenFollowsEvents) {
  server_.lists(7, {});
  server_.watched(saying({event_json("ADDED", object(8)), event_json("MODIFIED", object(11)),
                          event_json("DELETED", object(12)), event_json("ADDED", object(15))}));
  EXPECT_EQ(until("object 15"), (ReceivedEvents{"absent", "object 8", "object 11", "absent", "object 15"}));
  ASSERT_EQ(server_.asked().size(), 2U);
  EXPECT_EQ(server_.asked()[0], "/apis/g/v1/things?fieldSelector=metadata.name%3Dnode-1&resourceVersion=0");
  EXPECT_EQ(server_.asked()[1],
            "/apis/g/v1/things?watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnode-1"
            "&resourceVersion=7&timeoutSeconds=120");
  EXPECT_EQ(server_.http().asked()[1].header("authorization"), "Bearer t");
}

TEST_F(ObjectWatchTest, TheObjectIsTakenFromTheList) {
  server_.lists(9, {nodeslo_json("node-10", 3), object(5), nodeslo_json("node", 6)});
  EXPECT_EQ(until([this] { return watches() == 1; }), ReceivedEvents{"object 5"}) << "not another's";
}

TEST_F(ObjectWatchTest, EventsMayArriveInAnyPieces) {
  const auto all = event_json("ADDED", object(8)) + bookmark_json(9) + event_json("MODIFIED", object(10));
  std::vector<std::string> bytes;
  for (const char byte : all) bytes.emplace_back(1, byte);
  server_.watched(saying(bytes));
  EXPECT_EQ(until("object 10"), (ReceivedEvents{"absent", "object 8", "object 10"}));
  watch_.reset();
  events_.clear();
  server_.watched(saying({all + all.substr(0, 40), all.substr(40)}));
  EXPECT_EQ(until([this] { return events_.size() == 5; }),
            (ReceivedEvents{"absent", "object 8", "object 10", "object 8", "object 10"}));
}

TEST_F(ObjectWatchTest, EventsOfOtherObjectsAreIgnored) {
  server_.watched(saying({event_json("ADDED", nodeslo_json("node-2", 8)),
                          event_json("DELETED", nodeslo_json("node", 9)), bookmark_json(10)}));
  EXPECT_EQ(until([this] { return confirmed_ >= 3; }), ReceivedEvents{"absent"});
}

// --- resuming

TEST_F(ObjectWatchTest, AnEndedWatchResumesAtItsVersion) {
  server_.watched(saying_all({event_json("ADDED", object(8)), bookmark_json(20)}));
  server_.watched(saying_all({bookmark_json(30)}));
  until([this] { return last_asked("resourceVersion=30&"); });
  EXPECT_EQ(events_, (ReceivedEvents{"absent", "object 8"}));
  EXPECT_EQ(server_.asked_for("resourceVersion=20&"), 1);
  EXPECT_EQ(lists(), 1);
}

TEST_F(ObjectWatchTest, WatchesKeepTheMinimumInterval) {
  options_.watch.min_interval = milliseconds(200);
  server_.watched_for_ever(saying_all({bookmark_json(30)}));
  run(milliseconds(1000));
  EXPECT_LE(watches(), 6);
}

TEST_F(ObjectWatchTest, AWatchThatEndsAtOnceBacksOff) {
  server_.watched_for_ever(saying_all({}));
  run(milliseconds(800));
  EXPECT_LE(watches(), 9) << "10, 20, 40, 80, 160, 200 ms apart";
  EXPECT_EQ(events_, ReceivedEvents{"absent"});
}

TEST_F(ObjectWatchTest, AnExpiredVersionIsListedAgain) {
  for (const bool as_status : {true, false}) {
    events_.clear();
    watch_.reset();
    server_.lists(7, {object(5)});
    server_.watched([this, as_status](Exchange& exchange) {
      server_.lists(99, {object(50)});
      if (as_status) return void(exchange.send(http_answer(410, R"({"kind":"Status","code":410})")));
      saying({gone_json(410, "too old resource version: 7 (90)")})(exchange);
    });
    until([this] { return events_.size() == 2 && last_asked("resourceVersion=99&"); });
    EXPECT_EQ(events_, (ReceivedEvents{"object 5", "object 50"}));
    EXPECT_EQ(server_.asked()[server_.asked().size() - 2],
              "/apis/g/v1/things?fieldSelector=metadata.name%3Dnode-1")
        << "nothing older than what was told";
  }
}

TEST_F(ObjectWatchTest, ADeletionDuringAGapIsReportedAfterAList) {
  server_.lists(7, {object(5)});
  server_.watched([this](Exchange& exchange) {
    server_.lists(99, {});
    exchange.send(http_answer(410, "gone"));
  });
  EXPECT_EQ(until("absent"), (ReceivedEvents{"object 5", "absent"}));
}

TEST_F(ObjectWatchTest, AHalfOpenConnectionIsAbortedAndTheWatchResumes) {
  options_.watch.watch_lifetime = seconds(1);
  options_.watch.stale_after = milliseconds(200);
  server_.lists(7, {object(5)});
  server_.watched(saying({bookmark_json(33)}));  // then silence, without closing
  until([this] { return watches() == 2; });
  EXPECT_TRUE(last_asked("resourceVersion=33&"));
  EXPECT_EQ(events_, ReceivedEvents{"object 5"}) << "no trouble if the next one works";
  EXPECT_EQ(lists(), 1);
}

TEST_F(ObjectWatchTest, ARunningWatchConfirmsTheObject) {
  server_.lists(7, {object(5)});
  EXPECT_EQ(until([this] { return confirmed_ == 1; }), ReceivedEvents{"object 5"}) << "without a word";
}

TEST_F(ObjectWatchTest, ItIsListedAgainAtAnInterval) {
  options_.watch.relist_interval = milliseconds(1);
  server_.lists(7, {object(5)});
  server_.watched_for_ever(saying_all({bookmark_json(33)}));
  EXPECT_EQ(until([this] { return lists() >= 3; }), ReceivedEvents{"object 5"})
      << "the same again is no news";
}

TEST_F(ObjectWatchTest, ItIsListedAgainAlsoWhereNoWatchEndsInOrder) {
  options_.watch.relist_interval = milliseconds(1);
  server_.lists(7, {object(5)});
  server_.watched_for_ever([](Exchange& exchange) {
    exchange.send(chunked_head() + chunk(bookmark_json(33)));
    exchange.close();
  });
  until([this] { return lists() >= 3; });
  server_.watched_for_ever(saying({bookmark_json(33), gone_json(500, "etcdserver: leader changed")}));
  const int before = lists();
  until([&] { return lists() >= before + 3; });
}

TEST_F(ObjectWatchTest, AServerThatWasAwayForLongIsNotListedByAllAtOnce) {
  options_.watch.relist_interval = milliseconds(1);
  server_.lists(7, {object(5)});
  for (int i = 0; i < 2; ++i)
    server_.watched([](Exchange& exchange) { exchange.send(http_answer(503, "away")); });
  until([this] { return watches() == 3; });
  EXPECT_EQ(lists(), 1);
}

TEST_F(ObjectWatchTest, DestructionIsSilent) {
  until([this] { return watches() == 1; });
  watch_.reset();
  const auto soon = asker_.loop().timer([this] { asker_.stop(); });
  soon->arm(milliseconds(50));
  asker_.run();
  EXPECT_EQ(asker_.client().in_flight(), 0U);
}

}  // namespace
}  // namespace evenkeel::test
