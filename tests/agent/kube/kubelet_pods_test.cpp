// Tests pods from a kubelet: what the agent knows, when, and what it keeps.
#include <gtest/gtest.h>

#include "agent/api/pages.h"
#include "tests/support/agents/kubelet_node.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string kOne = "11111111-0000-0000-0000-000000000001";
const std::string kTwo = "11111111-0000-0000-0000-000000000002";

PodText pod_text(const std::string& uid, const std::string& name) {
  return {.uid = uid, .name = name, .container_ids = {"c1"}};
}

TEST(KubeletPods, AreKnownWithTheirRequestsAndAnnotations) {
  KubeletNode node;
  node.host.pod(KubeQos::burstable, kOne, {"c1"});
  node.lists({{.uid = kOne,
               .name = "web",
               .namespace_ = "shop",
               .labels = R"({"koordinator.sh/qosClass":"LSR"})",
               .container_ids = {"c1"},
               .resources = R"({"limits":{"cpu":"500m"}})"}});
  node.start();
  ASSERT_TRUE(node.until([&] { return node.pod(kOne) && node.pod(kOne)->name == "web"; })) << node.log();
  EXPECT_EQ(node.pod(kOne)->label_qos, QosClass::lsr);
  EXPECT_TRUE(node.agent().view().node().pods_known);
  EXPECT_EQ(node.agent().view().observer.roster().newest_unknown_cgroup(), CgroupId{})
      << "every directory is explained";
  const auto asked = node.kubelet.asked().front();
  EXPECT_EQ(asked.target, "/pods");
  EXPECT_EQ(asked.header("authorization"), "Bearer the-token");
  EXPECT_NE(node.page("/readyz").find("pods: ok, 0 s old"), std::string::npos) << node.page("/readyz");
  const auto metrics = node.page("/metrics");
  EXPECT_NE(metrics.find("evenkeel_server_requests_total{server=\"kubelet\",status=\"200\"}"),
            std::string::npos)
      << metrics;
  EXPECT_NE(metrics.find("evenkeel_input_age_seconds{input=\"pods\"}"), std::string::npos);
  EXPECT_EQ(node.kubelet.connections(), 1) << "kept";
}

/// What a notice quotes is a tenant's choice.
TEST(KubeletPods, ANoticeCannotSteerATerminalOrForgeALineOfTheReadyPage) {
  KubeletNode node;
  node.lists({{.uid = kOne,
               .name = "web",
               .annotations = R"({"scheduling.koordinator.sh/resource-status":)"
                              R"("{\"cpuset\":\"\\u001b[2J\\nreport: forged\"}"})",
               .container_ids = {"c1"}}});
  node.start();
  ASSERT_TRUE(node.until([&] { return node.pods_state().notices.size() == 1; })) << node.log();
  EXPECT_NE(node.pods_state().notices[0].find("\x1b[2J\nreport: forged"), std::string::npos)
      << "the notice quotes something else: " << node.pods_state().notices[0];
  const auto page = node.page("/readyz");
  EXPECT_EQ(page.find('\x1b'), std::string::npos) << page;
  EXPECT_EQ(page.find("\nreport: forged"), std::string::npos) << page;
  EXPECT_NE(page.find("\\u001b[2J\\nreport: forged"), std::string::npos) << page;
}

/// Where a unix socket shows details, the port does not.
TEST(KubeletPods, TheReadyPageNamesNoPodToAStranger) {
  KubeletNode node;
  node.lists({{.uid = kOne,
               .name = "secret-merger",
               .namespace_ = "shop",
               .annotations = R"({"scheduling.koordinator.sh/resource-status":"{\"cpuset\":\"x\"}"})",
               .container_ids = {"c1"}}});
  node.start();
  ASSERT_TRUE(node.until([&] { return node.pods_state().notices.size() == 1; })) << node.log();
  const auto page = [&](http::Caller caller) {
    return api::Pages(node.agent().view(), {.least = http::Caller::socket})
        .answer({.path = "/readyz", .caller = caller});
  };
  const auto insider = page(http::Caller::socket);
  EXPECT_NE(insider.body.find("pods: pod shop/secret-merger"), std::string::npos) << insider.body;
  for (const auto caller : {http::Caller::network, http::Caller::loopback}) {
    const auto stranger = page(caller);
    EXPECT_EQ(stranger.status, insider.status);
    EXPECT_EQ(stranger.body.find("secret-merger"), std::string::npos) << stranger.body;
    EXPECT_EQ(stranger.body.find("shop"), std::string::npos) << stranger.body;
    EXPECT_NE(stranger.body.find("pods: notices that name pods: 1, shown by evenkeel explain\n"),
              std::string::npos)
        << stranger.body;
  }
}

TEST(KubeletPods, BeforeTheFirstListNothingIsWritten) {
  KubeletNode node;
  node.host.pod(KubeQos::besteffort, kOne, {"c1"});
  node.lists({}, {.kind = Fault::Kind::hang});
  node.start();
  node.run(milliseconds(100));
  EXPECT_FALSE(node.agent().view().node().pods_known);
  EXPECT_NE(node.page("/readyz").find("pods: no answer yet"), std::string::npos) << node.page("/readyz");
  EXPECT_EQ(node.page("/readyz").rfind("not ready", 0), 0U);
  for (const auto& cgroup : node.agent().view().node().cgroups)
    EXPECT_EQ(cgroup.hands_off, cgroup.kind == CgroupKind::pod || cgroup.kind == CgroupKind::container)
        << cgroup.path << ": its owner may have said so";
}

/// Tenants may write that much into their pods: an API server stores up to 1.5 MiB of each.
TEST(KubeletPods, AListOfManyMebibytesIsServed) {
  KubeletNode node;
  std::vector<PodText> pods;
  for (char i = 'a'; i < 'u'; ++i) {
    const std::string uid = "11111111-0000-0000-0000-00000000000" + std::string(1, i);
    pods.push_back({.uid = uid,
                    .name = std::string("web-") + i,
                    .annotations = R"({"example.com/x":")" + std::string(1 << 20, 'x') + R"("})",
                    .container_ids = {std::string("c") + i}});
    node.host.pod(KubeQos::burstable, uid, {std::string("c") + i});
  }
  node.lists(pods);
  node.start();
  for (const auto& pod : pods)
    ASSERT_TRUE(node.until([&] { return node.pod(pod.uid) && node.pod(pod.uid)->name == pod.name; }))
        << pod.name << node.log();
}

TEST(KubeletPods, AnEmptyListIsValid) {
  KubeletNode node;
  node.lists({});
  node.start();
  EXPECT_TRUE(node.until([&] { return node.agent().view().node().pods_known; })) << "items: null";
}

TEST(KubeletPods, ANewCgroupDirectoryPollsTheKubeletAtOnce) {
  KubeletNode node;
  node.lists({pod_text(kOne, "web")});
  node.host.pod(KubeQos::burstable, kOne, {"c1"});
  node.start({.interval = seconds(3600), .soonest = seconds(1)});
  ASSERT_TRUE(node.until([&] { return node.pod(kOne) && node.pod(kOne)->name == "web"; }));
  node.lists({pod_text(kOne, "web"), pod_text(kTwo, "next")});
  node.host.pod(KubeQos::burstable, kTwo, {"c1"});
  EXPECT_TRUE(node.until([&] { return node.pod(kTwo) && node.pod(kTwo)->name == "next"; })) << node.log();
  const auto asked = node.kubelet.asked().size();
  EXPECT_LE(asked, 4U) << "at most once a second";
}

TEST(KubeletPods, AnUnexplainedDirectoryPollsTheKubeletForAWhileOnly) {
  KubeletNode node;
  node.lists({pod_text(kOne, "web")});
  node.host.pod(KubeQos::burstable, kOne, {"c1", "the-sandbox"});
  node.start({.interval = seconds(3600), .soonest = seconds(1)});
  ASSERT_TRUE(node.until([&] { return node.agent().view().node().pods_known; }));
  node.run(milliseconds(2500));
  EXPECT_GE(node.kubelet.asked().size(), 2U);
  EXPECT_LE(node.kubelet.asked().size(), 4U) << "at most once a second";
}

TEST(KubeletPods, ARunningPodMissingFromTheListIsKept) {
  KubeletNode node;
  const auto directory = node.host.pod(KubeQos::besteffort, kOne, {"c1"});
  PodText careful = pod_text(kOne, "careful");
  careful.annotations = R"({"evenkeel.io/hands-off":"true"})";
  node.lists({careful, pod_text(kTwo, "other")});
  node.start();
  ASSERT_TRUE(node.until([&] { return node.pod(kOne) && node.pod(kOne)->hands_off; }));
  node.lists({pod_text(kTwo, "other")});  // restarted while its API server is unreachable
  ASSERT_TRUE(node.until([&] { return node.pod(kOne) && node.pod(kOne)->unlisted; })) << node.log();
  EXPECT_TRUE(node.pod(kOne)->hands_off) << "what its owner said still counts";
  EXPECT_NE(node.page("/metrics").find("evenkeel_pods_unlisted 1"), std::string::npos);
  node.lists({careful, pod_text(kTwo, "other")});
  ASSERT_TRUE(node.until([&] { return !node.pod(kOne)->unlisted; }));
  node.lists({pod_text(kTwo, "other")});
  node.host.remove_cgroup(directory);
  EXPECT_TRUE(node.until([&] { return node.pod(kOne) == nullptr; })) << "gone in truth";
}

TEST(KubeletPods, AutoFallsBackToTheCgroupTreeWithoutAKubelet) {
  KubeletNode node(inputs::PodsSource::Kind::automatic);
  node.host.pod(KubeQos::besteffort, kOne, {"c1"});
  node.lists({}, {.kind = Fault::Kind::status, .number = 403});
  node.start();
  ASSERT_TRUE(node.until([&] { return node.agent().view().node().pods_known; }));
  EXPECT_TRUE(node.pod(kOne)->from_cgroup_only);
  const auto page = node.page("/readyz");
  EXPECT_EQ(page.rfind("ready\n", 0), 0U) << page;
  EXPECT_NE(page.find("pods: the cgroup tree in force: " + node.kubelet.url("/pods") + ": 403 trouble"),
            std::string::npos)
      << page;
  node.lists({pod_text(kOne, "batch")});
  EXPECT_TRUE(node.until([&] { return node.pod(kOne)->name == "batch"; })) << "it has come";
  node.lists({}, {.kind = Fault::Kind::status, .number = 403});
  ASSERT_TRUE(node.until([&] { return !node.pods_state().usable; }));
  EXPECT_EQ(node.pod(kOne)->name, "batch") << "from then on its last word counts";
}

TEST(KubeletPods, TheNodeObjectComesFromTheApiServer) {
  KubeletNode node(inputs::PodsSource::Kind::kubelet, true);
  node.lists({});
  node.api.answers([](const Asked& asked, Exchange& exchange) {
    if (asked.target != "/api/v1/nodes/node-1?resourceVersion=0")
      return void(exchange.send(http_answer(404, "{}")));
    exchange.send(http_answer(200, real_node()));
  });
  node.start();
  ASSERT_TRUE(node.until([&] { return node.agent().view().node().object.cpu_capacity.has_value(); }))
      << node.log();
  EXPECT_EQ(node.agent().view().node().object.cpu_capacity, MilliCpu(2000));
  EXPECT_EQ(node.agent().view().node().object.name, "127.0.0.1");
  node.api.answers([](const Asked&, Exchange& exchange) {
    exchange.send(http_answer(
        404, R"({"kind":"Status","message":"nodes \"node-1\" not found","reason":"NotFound","code":404})"));
  });
  ASSERT_TRUE(node.until([&] { return !node.node_state().usable; }));
  EXPECT_NE(node.node_state().error.find("404 nodes \"node-1\" not found"), std::string::npos);
  EXPECT_EQ(node.agent().view().node().object.cpu_capacity, MilliCpu(2000)) << "its last word counts";
}

}  // namespace
}  // namespace evenkeel::test
