// Tests pods from the API server in the agent: as the only source, and for --pods auto between the kubelet
// and the cgroup tree. Each step is logged once and shown by /readyz and the metrics.
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/agents/kubelet_node.h"
#include "tests/support/fakes/watched_server.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = inputs::PodsSource::Kind;

const std::string kOne = "11111111-0000-0000-0000-000000000001";
const std::string kTwo = "11111111-0000-0000-0000-000000000002";
const std::string kForbidden =
    R"({"kind":"Status","code":403,"message":"pods is forbidden: User \"u\" cannot list resource \"pods\" in API group \"\" at the cluster scope"})";

PodText text(const std::string& uid, const std::string& name) {
  return {.uid = uid, .name = name, .container_ids = {"c1"}, .version = 5};
}

/// What the kubelet and the API server answer; the API server knows the pods under names of its own.
class ApiPods : public testing::Test {
 protected:
  void begin(Kind kind) {
    node_ = std::make_unique<KubeletNode>(kind);
    node_->pods_at_api = true;
    node_->host.pod(KubeQos::besteffort, kOne, {"c1"});
    node_->api.answers(api_.script());
    api_.lists(7, {pod_json(text(kOne, "of-api"))});
    kubelet_fails();
  }
  void kubelet_fails() { node_->lists({}, {.kind = Fault::Kind::status, .number = 403}); }
  void api_refuses() {
    api_.lists([](const Asked&, Exchange& exchange) { exchange.send(http_answer(403, kForbidden)); });
    api_.watched_for_ever([](Exchange& exchange) { exchange.send(http_answer(403, kForbidden)); });
  }
  [[nodiscard]] bool named(const std::string& name) {
    return node_->until([&] { return node_->pod(kOne) && node_->pod(kOne)->name == name; });
  }
  [[nodiscard]] int asked_for(const std::string& part) const {
    int count = 0;
    for (const auto& asked : node_->api.asked())
      count += asked.target.find(part) != std::string::npos ? 1 : 0;
    return count;
  }
  [[nodiscard]] std::string source() {
    const auto all = node_->page("/metrics");
    const std::string before = "evenkeel_input_info{input=\"pods\",source=\"";
    const auto at = all.find(before);
    if (at == std::string::npos) return {};
    return all.substr(at + before.size(), all.find('"', at + before.size()) - at - before.size());
  }
  std::atomic<int> sent_ = 0;  // must outlive the servers' threads
  WatchScript api_{};
  std::unique_ptr<KubeletNode> node_{};
};

TEST_F(ApiPods, AreASourceOfTheirOwn) {
  begin(Kind::api);
  node_->start();
  ASSERT_TRUE(named("of-api")) << node_->log();
  EXPECT_TRUE(node_->kubelet.asked().empty());
  EXPECT_EQ(source(), node_->api_pods_url());
  EXPECT_NE(node_->page("/readyz").find("pods: ok, 0 s old"), std::string::npos) << node_->page("/readyz");
  EXPECT_EQ(node_->logged("event=input-moved"), 0) << node_->log();
  EXPECT_EQ(node_->api.asked().front().header("authorization"), "Bearer the-token");
}

TEST_F(ApiPods, ADeletedPodIsForgottenWithItsDirectory) {
  begin(Kind::api);
  const auto directory = node_->host.pod(KubeQos::besteffort, kTwo, {"c1"});
  api_.lists(7, {pod_json(text(kOne, "of-api")), pod_json(text(kTwo, "goes"))});
  api_.watched([this](Exchange& exchange) {
    exchange.send(chunked_head());
    while (sent_ == 0 && exchange.wait(milliseconds(5))) {
    }
    exchange.send(chunk(event_json("DELETED", pod_json(text(kTwo, "goes")))));
    exchange.hang();
  });
  node_->start();
  ASSERT_TRUE(node_->until([&] { return node_->pod(kTwo) && node_->pod(kTwo)->name == "goes"; }));
  sent_ = 1;
  ASSERT_TRUE(node_->until([&] { return node_->pod(kTwo)->unlisted; })) << "its directory is still there";
  node_->host.remove_cgroup(directory);
  EXPECT_TRUE(node_->until([&] { return node_->pod(kTwo) == nullptr; }));
  EXPECT_EQ(node_->pod(kOne)->name, "of-api");
}

TEST_F(ApiPods, AServerThatIsAwayLeavesTheLastListInForce) {
  begin(Kind::api);
  node_->start();
  ASSERT_TRUE(named("of-api"));
  node_->api.stop();
  ASSERT_TRUE(node_->until([&] { return node_->pods_state().failures >= 2; })) << node_->log();
  EXPECT_EQ(node_->pod(kOne)->name, "of-api");
  EXPECT_EQ(node_->logged("event=input-refused"), 1) << node_->log();
  EXPECT_NE(node_->page("/readyz").find("pods: previous text in force, "), std::string::npos);
  EXPECT_EQ(node_->page("/readyz").rfind("ready\n", 0), 0U);
}

// --- auto

TEST_F(ApiPods, AutoAsksOnlyTheKubeletWhileItAnswers) {
  begin(Kind::automatic);
  node_->lists({text(kOne, "of-kubelet")});
  node_->start();
  ASSERT_TRUE(named("of-kubelet"));
  kubelet_fails();
  node_->run(milliseconds(300));
  EXPECT_TRUE(node_->api.asked().empty()) << "a list of some seconds ago is good enough";
  EXPECT_EQ(source(), node_->kubelet.url("/pods"));
  EXPECT_EQ(node_->logged("event=input-moved"), 0) << node_->log();
}

TEST_F(ApiPods, AutoAsksTheApiServerWhenTheKubeletDoesNotAnswer) {
  begin(Kind::automatic);
  node_->start();
  ASSERT_TRUE(named("of-api")) << node_->log();
  EXPECT_FALSE(node_->pod(kOne)->from_cgroup_only);
  EXPECT_EQ(source(), node_->api_pods_url());
  const auto page = node_->page("/readyz");
  EXPECT_EQ(page.rfind("ready\n", 0), 0U) << page;
  EXPECT_NE(page.find("pods: ok, 0 s old"), std::string::npos) << page;
  EXPECT_NE(page.find("pods: from the API server, since the kubelet does not answer: " +
                      node_->kubelet.url("/pods") + ": 403 trouble"),
            std::string::npos)
      << page;
  node_->run(milliseconds(500));
  EXPECT_EQ(node_->logged("event=input-moved"), 1) << node_->log();
  EXPECT_EQ(node_->logged("event=input-refused"), 1) << "the kubelet's refusal, once: " << node_->log();
  EXPECT_NE(node_->log().find("from now on " + node_->api_pods_url()), std::string::npos) << node_->log();
  EXPECT_EQ(asked_for("watch=true"), 1);
  EXPECT_EQ(asked_for("&resourceVersion=0"), 1) << "one list: it is not polled";
}

TEST_F(ApiPods, AutoReturnsToAKubeletThatAnswersAgain) {
  begin(Kind::automatic);
  node_->start();
  ASSERT_TRUE(named("of-api"));
  node_->lists({text(kOne, "of-kubelet")});
  ASSERT_TRUE(named("of-kubelet")) << node_->log();
  EXPECT_EQ(source(), node_->kubelet.url("/pods"));
  EXPECT_EQ(node_->logged("event=input-moved"), 2) << node_->log();
  const auto asked = node_->api.asked().size();
  node_->run(milliseconds(300));
  EXPECT_EQ(node_->api.asked().size(), asked) << "the watch has ended";
}

TEST_F(ApiPods, AutoWithoutTheRightFallsBackToTheCgroupTreeAndNamesIt) {
  begin(Kind::automatic);
  api_refuses();
  node_->start();
  ASSERT_TRUE(node_->until([&] { return node_->agent().view().node().pods_known; })) << node_->log();
  EXPECT_TRUE(node_->pod(kOne)->from_cgroup_only);
  const auto page = node_->page("/readyz");
  EXPECT_EQ(page.rfind("ready\n", 0), 0U) << page;
  EXPECT_NE(page.find("pods: the cgroup tree in force: " + node_->api_pods_url() +
                      ": 403 pods is forbidden: User \"u\" cannot list resource \"pods\""),
            std::string::npos)
      << page;
  EXPECT_NE(page.find(node_->kubelet.url("/pods") + ": 403 trouble"), std::string::npos) << page;
  ASSERT_TRUE(node_->until([&] { return asked_for("/api/v1/pods") >= 3; }));
  EXPECT_EQ(node_->logged("event=input-refused"), 2) << "each server once: " << node_->log();
  EXPECT_EQ(node_->logged("event=input-moved"), 2) << "each step once: " << node_->log();
  api_.lists(9, {pod_json(text(kOne, "of-api"))});
  api_.watched_for_ever(saying({bookmark_json(10)}));
  EXPECT_TRUE(named("of-api")) << "the right was granted";
}

TEST_F(ApiPods, BeforeTheApiServerHasAnsweredNothingIsWritten) {
  begin(Kind::automatic);
  api_.lists([](const Asked&, Exchange& exchange) { exchange.hang(); });
  node_->start();
  ASSERT_TRUE(node_->until([&] { return asked_for("/api/v1/pods") == 1; })) << node_->log();
  node_->run(milliseconds(100));
  EXPECT_FALSE(node_->agent().view().node().pods_known) << "its owner may have said hands-off";
}

}  // namespace
}  // namespace evenkeel::test
