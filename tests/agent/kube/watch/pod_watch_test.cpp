// Tests watching the pods of a node at an API server: the requests, what is known after each event, and that
// thousands of agents do not list at once.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/agents/api_watcher.h"
#include "tests/support/fakes/kubelet_texts.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string pod(const std::string& name, int version, const std::string& uid = {}) {
  return pod_json({.uid = uid.empty() ? "uid-" + name : uid,
                   .name = name,
                   .container_ids = {"c-" + name},
                   .version = version});
}
std::string added(const std::string& name, int version) { return event_json("ADDED", pod(name, version)); }
std::string deleted(const std::string& name, int version) {
  return event_json("DELETED", pod(name, version));
}

// --- what is known

TEST_F(PodWatchTest, ListsFromTheServersCacheAndThenFollowsEvents) {
  server_.lists(7, {pod("b", 3), pod("a", 5)});
  server_.watched(saying({added("c", 8)}));
  EXPECT_EQ(until("pods a b c"), (ReceivedEvents{"pods a b", "pods a b c"}));
  ASSERT_EQ(server_.asked().size(), 2U);
  EXPECT_EQ(server_.asked()[0], "/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1&resourceVersion=0");
  EXPECT_EQ(server_.asked()[1],
            "/api/v1/pods?watch=true&allowWatchBookmarks=true&fieldSelector=spec.nodeName%3Dnode-1"
            "&resourceVersion=7&timeoutSeconds=120");
}

TEST_F(PodWatchTest, ADeletedPodVanishesAndAChangedOneChanges) {
  server_.lists(7, {pod("a", 3), pod("b", 5)});
  server_.watched([this](Exchange& exchange) {
    exchange.send(chunked_head());
    exchange.send(chunk(event_json(
        "MODIFIED", pod_json({.uid = "uid-a", .name = "a", .container_ids = {"c-a", "d"}, .version = 8}))));
    while (events_.size() < 2 && exchange.wait(milliseconds(5))) {
    }
    exchange.send(chunk(deleted("a", 9)));
    exchange.hang();
  });
  EXPECT_EQ(until([this] { return events_.size() == 2; }), (ReceivedEvents{"pods a b", "pods a b"}));
  EXPECT_EQ(list_.pods.at(0).containers.size(), 2U);
  EXPECT_EQ(until([this] { return events_.size() == 3; }).back(), "pods b");
}

TEST_F(PodWatchTest, APodOfTheSameNameReplacesADeletedOne) {
  server_.lists(7, {pod("a", 3)});
  server_.watched(saying({deleted("a", 8), event_json("ADDED", pod("a", 9, "uid-other"))}));
  until([this] { return !list_.pods.empty() && list_.pods[0].uid == "uid-other"; });
  EXPECT_EQ(list_.pods.size(), 1U);
}

TEST_F(PodWatchTest, ABurstOfEventsIsOneList) {
  server_.lists(7, {});
  options_.gather = milliseconds(50);
  std::string burst;
  for (int i = 0; i < 100; ++i) burst += added("p" + std::to_string(i), 8 + i);
  server_.watched(saying({burst}));
  until([this] { return list_.pods.size() == 100; });
  EXPECT_LE(events_.size(), 4U);
}

TEST_F(PodWatchTest, APodThatIsChangedWithoutEndTakesATenthOfTheTime) {
  constexpr milliseconds kTakes(20);  // as on a large node
  server_.lists(7, {pod("a", 3)});
  server_.watched([](Exchange& exchange) {
    exchange.send(chunked_head());
    for (int version = 8; exchange.wait(milliseconds(1)); ++version)
      if (!exchange.send(chunk(event_json("MODIFIED", pod("a", version))))) break;
  });
  std::size_t seen = 0;
  const auto over = clock_.now() + seconds(1);
  until([&] {
    if (events_.size() > seen) std::this_thread::sleep_for(kTakes);
    seen = events_.size();
    return clock_.now() >= over && events_.size() >= 2;
  });
  EXPECT_LE(events_.size(), 8U);
}

TEST_F(PodWatchTest, BookmarksConfirmAndMoveThePlace) {
  server_.lists(7, {pod("a", 3)});
  server_.watched(saying_all({bookmark_json(40)}));
  until([this] { return last_asked("resourceVersion=40&"); });
  EXPECT_GE(confirmed_, 1);
  EXPECT_EQ(events_, ReceivedEvents{"pods a"});
  EXPECT_EQ(lists(), 1);
}

const std::string kHash = "7e95e3b1c4d5f60718293a4b5c6d7e8f";

TEST_F(PodWatchTest, AMirrorPodHasTheUidOfItsDirectory) {
  server_.lists(7, {pod_json({.uid = "of-the-api",
                              .name = "static",
                              .annotations = R"({"kubernetes.io/config.source":"file",)"
                                             R"("kubernetes.io/config.hash":")" +
                                             kHash + R"(","kubernetes.io/config.mirror":")" + kHash + "\"}",
                              .owners = R"([{"apiVersion":"v1","kind":"Node","name":"node-1","uid":"u"}])",
                              .container_ids = {"c"},
                              .version = 3})});
  until("pods static");
  EXPECT_EQ(list_.pods.at(0).uid, kHash);
  EXPECT_TRUE(list_.pods.at(0).is_static);
}

TEST_F(PodWatchTest, APodThatCallsItselfStaticIsAnOrdinaryOne) {
  server_.lists(7, {pod_json({.uid = "own",
                              .name = "batch",
                              .annotations = R"({"kubernetes.io/config.source":"file",)"
                                             R"("kubernetes.io/config.hash":")" +
                                             kHash + "\"}",
                              .container_ids = {"c"},
                              .version = 3})});
  until("pods batch");
  EXPECT_EQ(list_.pods.at(0).uid, "own");
  EXPECT_FALSE(list_.pods.at(0).is_static);
}

TEST_F(PodWatchTest, AnUnreadablePodIsLeftOutWithANotice) {
  server_.lists(7, {pod("a", 3), pod("b", 4, "../b")});
  EXPECT_EQ(until("pods a"), ReceivedEvents{"pods a"});
  ASSERT_EQ(list_.notices.size(), 1U);
  EXPECT_NE(list_.notices[0].find("pod default/b is left out"), std::string::npos) << list_.notices[0];
}

TEST_F(PodWatchTest, PodsBeyondABoundAreLeftOut) {
  options_.most_pods = 2;
  server_.lists(7, {pod("a", 3), pod("b", 4)});
  server_.watched(saying({added("c", 8), event_json("MODIFIED", pod("b", 9))}));
  until([this] { return !list_.notices.empty(); });
  EXPECT_EQ(list_.pods.size(), 2U);
  EXPECT_EQ(list_.notices[0], "pods beyond 2 are left out, ended ones first");
}

TEST_F(PodWatchTest, EndedPodsTakeNoRoomFromOthers) {
  options_.most_pods = 2;
  const auto ended = [](const std::string& name, const char* phase, int version) {
    return pod_json({.uid = "uid-" + name,
                     .name = name,
                     .container_ids = {"c-" + name},
                     .phase = phase,
                     .version = version});
  };
  server_.lists(7,
                {ended("a", "Succeeded", 3), ended("b", "Failed", 4), pod("c", 5), ended("d", "Failed", 6)});
  server_.watched(
      saying({added("e", 8) + event_json("MODIFIED", ended("c", "Succeeded", 9)) + added("f", 10)}));
  EXPECT_EQ(until("pods e f").front(), "pods b c");
  EXPECT_EQ(list_.notices, std::vector<std::string>{"pods beyond 2 are left out, ended ones first"});
}

// --- listing again

TEST_F(PodWatchTest, AnExpiredVersionIsListedAgainFromTheCache) {
  server_.lists(7, {pod("a", 3), pod("b", 5)});
  server_.watched([this](Exchange& exchange) {
    server_.lists(99, {pod("b", 5)});
    saying({bookmark_json(20), gone_json(410, "too old resource version: 20 (90)")})(exchange);
  });
  until([this] { return last_asked("resourceVersion=99&"); });
  EXPECT_EQ(events_, (ReceivedEvents{"pods a b", "pods b"}));
  EXPECT_EQ(server_.asked()[server_.asked().size() - 2],
            "/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1&resourceVersion=20")
      << "not older than what was told, and not from the store";
}

TEST_F(PodWatchTest, AServerThatIsBehindForGoodIsBelievedInTheEnd) {
  server_.lists(70, {pod("a", 30)});
  server_.watched([this](Exchange& exchange) {
    server_.lists([](const Asked& asked, Exchange& list) {
      if (asked.target.ends_with("resourceVersion=70"))
        return void(
            list.send(http_answer(504, R"({"kind":"Status","message":"Too large resource version"})")));
      list.send(http_answer(200, list_json(9, {pod("b", 5)})));
    });
    exchange.send(http_answer(410, "gone"));
  });
  until("pods b");
  EXPECT_EQ(events_, (ReceivedEvents{"pods a", "trouble: 504 Too large resource version", "pods b"}));
  EXPECT_EQ(server_.asked_for("resourceVersion=0"), 2);
}

TEST_F(PodWatchTest, AnotherServerResumesWithoutAList) {
  server_.lists(7, {pod("a", 3)});
  until([this] { return watches() == 1; });
  server_.http().stop();
  until("trouble: Connection refused");
  WatchedServer other(server_.http().port());
  other.watched(saying({deleted("a", 9)}));
  until("pods");
  EXPECT_EQ(other.asked_for("watch=true"), static_cast<int>(other.asked().size())) << "resumed, not listed";
}

TEST_F(PodWatchTest, ListsAreSpreadOverSomeSeconds) {
  options_.watch.spread = milliseconds(400);
  random_ = [] { return 0.75; };
  const auto started = clock_.now();
  server_.lists(7, {});
  until("pods");
  EXPECT_GE(clock_.now() - started, milliseconds(300));
  const auto before = clock_.now();
  watch_.reset();
  events_.clear();
  server_.watched([](Exchange& exchange) { exchange.send(http_answer(410, "gone")); });
  until([this] { return events_.size() == 2; });
  EXPECT_GE(clock_.now() - before, milliseconds(600)) << "also after the server has forgotten our version";
}

// --- trouble

TEST_F(PodWatchTest, AMissingRightIsNamed) {
  const std::string no =
      R"({"kind":"Status","code":403,"message":"pods is forbidden: User \"u\" cannot list resource \"pods\" in API group \"\" at the cluster scope"})";
  server_.lists([no](const Asked&, Exchange& exchange) { exchange.send(http_answer(403, no)); });
  until([this] { return events_.size() == 2; });
  EXPECT_EQ(
      events_[0],
      "trouble: 403 pods is forbidden: User \"u\" cannot list resource \"pods\" in API group \"\" at the "
      "cluster scope");
  server_.lists(7, {pod("a", 3)});
  until("pods a");
}

TEST_F(PodWatchTest, ASlowServerIsWaitedFor) {
  server_.lists([](const Asked&, Exchange& exchange) {
    const auto all = chunked_answer(list_json(7, {pod("a", 3)}), 64);
    for (std::size_t at = 0; at < all.size() && exchange.wait(milliseconds(5)); at += 40)
      exchange.send(std::string_view(all).substr(at, 40));
  });
  EXPECT_EQ(until("pods a"), ReceivedEvents{"pods a"});
  watch_.reset();
  events_.clear();
  options_.watch.timeout = milliseconds(100);
  server_.lists([](const Asked&, Exchange& exchange) { exchange.hang(); });
  until([this] { return !events_.empty(); });
  EXPECT_EQ(events_[0], "trouble: no complete answer in time");
}

TEST_F(PodWatchTest, HostileEventsAreNotBelievedAndListedAgain) {
  options_.watch.longest = 1 << 20;
  std::atomic<bool> said = false;
  for (const auto& line :
       {std::string("<html>\n"), event_json("ADDED", R"({"metadata":{"name":"x","uid":"x"}})"),
        event_json("ADDED", std::string(200'000, '[')),
        "{\"type\":\"" + std::string(2 << 20, 'x') + "\"}\n"}) {
    watch_.reset();
    events_.clear();
    server_.lists(7, {pod("a", 3)});
    said = false;
    server_.watched([&](Exchange& exchange) {
      server_.lists(99, {pod("b", 5)});
      exchange.send(chunked_head());
      if (said.exchange(true)) return exchange.hang();
      for (std::size_t at = 0; at < line.size(); at += 65536)
        if (!exchange.send(chunk(std::string_view(line).substr(at, 65536)))) break;
      exchange.hang();
    });
    until([this] { return events_.size() > 1 && last_asked("resourceVersion=99&"); });
    EXPECT_EQ(events_, (ReceivedEvents{"pods a", "pods b"}));
  }
}

}  // namespace
}  // namespace evenkeel::test
