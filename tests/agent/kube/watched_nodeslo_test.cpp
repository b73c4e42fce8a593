// Tests the watched NodeSLO object: what the agent does when it appears, changes, is invalid or is deleted,
// and when the server is silent.
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/agents/kubelet_node.h"
#include "tests/support/fakes/watched_server.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

const std::string kUid = "11111111-0000-0000-0000-000000000001";
const std::string kServiceUid = "11111111-0000-0000-0000-000000000002";
const char* const kIdle = R"({"resourceQOSStrategy":{"beClass":{"cpuQOS":{"enable":true}}}})";
const char* const kBad = R"({"resourceQOSStrategy":{"beClass":{"cpuQOS":{"enable":"perhaps"}}}})";

std::string slo(int version, const std::string& spec) { return nodeslo_json("node-1", version, spec); }

class WatchedNodeSlo : public testing::Test {
 protected:
  void SetUp() override {
    pod_ = node_.host.pod(KubeQos::besteffort, kUid, {"c1"});
    node_.host.pod(KubeQos::besteffort, kServiceUid, {"c2"});  // beside it cpu.idle has an effect
    node_.lists({{.uid = kUid, .name = "batch", .qos = "BestEffort", .container_ids = {"c1"}},
                 {.uid = kServiceUid,
                  .name = "service",
                  .labels = R"({"koordinator.sh/qosClass":"LS"})",
                  .qos = "BestEffort",
                  .container_ids = {"c2"}}});
    node_.api.answers(api_.script());
    node_.watches_nodeslo = true;
  }
  [[nodiscard]] bool idles() const { return !node_.agent().view().execution.managed().empty(); }
  [[nodiscard]] bool until_idle() {
    return node_.until([this] { return idles(); });
  }
  /// A watch that waits until sent_ reaches `times`, sends `event`, and ends.
  void says_when_sent(const std::string& event, int times = 1) {
    api_.watched([this, event, times](Exchange& exchange) {
      exchange.send(chunked_head());
      while (sent_ < times && exchange.wait(milliseconds(5))) {
      }
      exchange.send(chunk(event) + "0\r\n\r\n");
    });
  }
  std::atomic<int> sent_ = 0;  // must outlive the server's threads
  WatchScript api_{};
  mutable KubeletNode node_{};
  std::string pod_{};
};

TEST_F(WatchedNodeSlo, ChangesTakeEffect) {
  says_when_sent(event_json("ADDED", slo(8, kIdle)));
  says_when_sent(event_json("MODIFIED", slo(9, "{}")), 2);
  node_.start();
  ASSERT_TRUE(node_.until([this] { return node_.nodeslo_state().loaded.has_value(); })) << node_.log();
  EXPECT_FALSE(idles());
  EXPECT_NE(node_.page("/readyz").find("nodeslos/node-1 does not exist: the defaults apply until it appears"),
            std::string::npos)
      << node_.page("/readyz");
  sent_ = 1;
  ASSERT_TRUE(until_idle()) << node_.log();
  sent_ = 2;
  EXPECT_TRUE(node_.until([this] { return !idles(); })) << "what the next watch said: " << node_.log();
}

TEST_F(WatchedNodeSlo, BeforeTheFirstAnswerNothingIsWritten) {
  api_.lists([](const Asked&, Exchange& exchange) { exchange.hang(); });
  node_.start();
  ASSERT_TRUE(node_.until([this] { return node_.pod(kUid) && node_.pod(kUid)->name == "batch"; }));
  node_.run(milliseconds(200));
  EXPECT_FALSE(idles());
  const auto page = node_.page("/readyz");
  EXPECT_EQ(page.rfind("not ready", 0), 0U) << page;
  EXPECT_NE(page.find("nodeslo: no answer yet"), std::string::npos) << page;
}

TEST_F(WatchedNodeSlo, AnInvalidObjectIsRejectedAndTheLastValidOneStays) {
  api_.lists(7, {slo(5, kIdle)});
  says_when_sent(event_json("MODIFIED", slo(8, kBad)));
  node_.start();
  ASSERT_TRUE(until_idle()) << node_.log();
  sent_ = 1;
  ASSERT_TRUE(node_.until([this] { return !node_.nodeslo_state().usable; })) << node_.log();
  const std::string says =
      "nodeslos/node-1: spec.resourceQOSStrategy.beClass.cpuQOS.enable: found the text \"perhaps\"; legal: "
      "true or "
      "false";
  EXPECT_EQ(node_.nodeslo_state().error, says);
  node_.run(milliseconds(200));
  EXPECT_TRUE(idles());
  EXPECT_EQ(node_.logged("event=input-refused"), 1) << node_.log();
  const auto page = node_.page("/readyz");
  EXPECT_NE(page.find("nodeslo: previous text in force, "), std::string::npos) << page;
  EXPECT_NE(page.find(says), std::string::npos) << page;
}

TEST_F(WatchedNodeSlo, AnUnreachableApiServerChangesNothing) {
  api_.lists(7, {slo(5, kIdle)});
  says_when_sent(bookmark_json(9));
  node_.start();
  ASSERT_TRUE(until_idle()) << node_.log();
  sent_ = 1;
  const auto listed = node_.nodeslo_state().loaded;
  ASSERT_TRUE(node_.until([&] { return node_.nodeslo_state().loaded > listed; })) << "the watch stands";
  node_.api.stop();
  ASSERT_TRUE(node_.until([this] { return node_.nodeslo_state().failures >= 3; })) << node_.log();
  EXPECT_TRUE(idles());
  EXPECT_EQ(node_.logged("event=input-refused"), 1) << node_.log();
  const auto page = node_.page("/readyz");
  EXPECT_EQ(page.rfind("ready\n", 0), 0U) << page;
  EXPECT_NE(page.find("Connection refused"), std::string::npos) << page;
  EXPECT_NE(node_.page("/metrics").find("evenkeel_input_good{input=\"nodeslo\"} 0"), std::string::npos);
  EXPECT_NE(node_.page("/metrics").find("evenkeel_input_age_seconds{input=\"nodeslo\"}"), std::string::npos);
  EXPECT_NE(node_.page("/metrics").find("{input=\"nodeslo\",source=\"nodeslos/node-1\"} 1"),
            std::string::npos);
  EXPECT_NE(node_.page("/v1/explain")
                .find(R"("name":"nodeslo","source":"nodeslos/node-1","good":false,"age_seconds":)"),
            std::string::npos)
      << node_.page("/v1/explain");
}

TEST_F(WatchedNodeSlo, AMissingRightToWatchIsReported) {
  const std::string no =
      R"({"kind":"Status","message":"nodeslos.slo.koordinator.sh is forbidden: User \"u\" cannot watch","code":403})";
  api_.lists(7, {slo(5, kIdle)});
  api_.watched_for_ever([no](Exchange& exchange) { exchange.send(http_answer(403, no)); });
  node_.start();
  ASSERT_TRUE(node_.until([this] { return node_.nodeslo_state().failures >= 3; })) << node_.log();
  EXPECT_TRUE(idles()) << "what could be listed counts";
  EXPECT_EQ(node_.nodeslo_state().error,
            "nodeslos/node-1: 403 nodeslos.slo.koordinator.sh is forbidden: User \"u\" cannot watch");
  EXPECT_EQ(node_.logged("event=input-refused"), 1) << "and nothing has recovered between: " << node_.log();
  EXPECT_EQ(node_.logged("event=input-recovered"), 0);
}

TEST_F(WatchedNodeSlo, RecoveryIsReported) {
  api_.lists(7, {slo(5, kIdle)});
  for (int i = 0; i < 3; ++i) api_.watched([](Exchange& exchange) { exchange.send(http_answer(503, "")); });
  api_.watched(saying({bookmark_json(9)}));
  node_.start();
  ASSERT_TRUE(node_.until([this] { return node_.logged("event=input-recovered") == 1; })) << node_.log();
  EXPECT_TRUE(node_.nodeslo_state().usable);
  EXPECT_EQ(node_.logged("event=input-refused"), 1) << node_.log();
}

}  // namespace
}  // namespace evenkeel::test
