// Tests the program as a black box: CPU burst, and best effort that yields.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using Kernel = FakeNode::Kernel;

/// One service with two containers that have limits of one CPU and half a CPU, known from a pod list.
constexpr const char* kPods = R"({"kind":"PodList","apiVersion":"v1","items":[
 {"metadata":{"uid":"11111111-1111-1111-1111-111111111111","namespace":"shop","name":"cart"ANNOTATIONS},
  "spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m"}}},
                        {"name":"b","resources":{"limits":{"cpu":"500m","memory":"1Gi"},"requests":{"cpu":"100m"}}}]},
  "status":{"phase":"Running","qosClass":"Burstable","containerStatuses":[
    {"name":"a","containerID":"containerd://aaa","state":{"running":{}}},
    {"name":"b","containerID":"containerd://bbb","state":{"running":{}}}]}},
 {"metadata":{"uid":"22222222-2222-2222-2222-222222222222","namespace":"jobs","name":"crunch",
   "labels":{"koordinator.sh/qosClass":"BE"}},
  "spec":{"containers":[{"name":"c","resources":{}}]},
  "status":{"phase":"Running","qosClass":"BestEffort","containerStatuses":[
    {"name":"c","containerID":"containerd://ccc","state":{"running":{}}}]}}]})";

std::string pods_with(const std::string& annotations) {
  std::string text = kPods;
  const std::string hole = "ANNOTATIONS";
  return text.replace(text.find(hole), hole.size(),
                      annotations.empty() ? "" : ",\"annotations\":{" + annotations + "}");
}

struct BurstNode : TwoPods {
  BurstNode(Kernel kernel, const std::string& nodeslo, const std::string& annotations = {})
      : TwoPods(kernel, nodeslo, {"aaa", "bbb"}, {"ccc"}), pods(pod_list(pods_with(annotations))) {
    set_quota(service, "150000");
    set_quota(service + "/aaa", "100000");
    set_quota(service + "/bbb", "50000");
    for (const char* container : {"/aaa", "/bbb"}) throttled(service + container, false);
  }
  std::string burst_of(const std::string& cgroup) const {
    return setting(Controller::cpu, cgroup, v1() ? "cpu.cfs_burst_us" : "cpu.max.burst");
  }
  std::string idle_of(const std::string& cgroup) const {
    return setting(Controller::cpu, cgroup, "cpu.idle");
  }
  std::string pods;
};

class SteppedBurst : public testing::TestWithParam<Kernel> {};

TEST_P(SteppedBurst, StaticBurstIsClampedToTheQuotaAndRestored) {
  BurstNode node(GetParam(), "cpuBurstStrategy: {policy: cpuBurstOnly}\n");
  SteppedAgent agent(node.args(node.pods));
  node.seconds(3, agent);
  EXPECT_EQ(node.burst_of(node.service + "/aaa"), "100000")
      << "1000 % of a CPU, but the kernel takes no more than the quota";
  EXPECT_EQ(node.burst_of(node.service + "/bbb"), "50000");
  EXPECT_EQ(node.burst_of(node.service), "150000");
  EXPECT_EQ(node.burst_of(node.batch + "/ccc"), "0");
  agent.quit();
  for (const auto& cgroup : {node.service, node.service + "/aaa", node.service + "/bbb"})
    EXPECT_EQ(node.burst_of(cgroup), "0");
}

TEST_P(SteppedBurst, AThrottledContainersQuotaGrowsToItsCeilingWithThePods) {
  BurstNode node(GetParam(), "cpuBurstStrategy: {policy: cfsQuotaBurstOnly, cfsQuotaBurstPercent: 200}\n");
  node.service_uses(1000_mcpu);
  SteppedAgent agent(node.args(node.pods));
  node.second(agent);
  node.throttled(node.service + "/aaa", true);
  for (int i = 0; i < 20; ++i) {
    node.second(agent);
    const long pod = std::stol(node.quota_of(node.service));
    const long sum =
        std::stol(node.quota_of(node.service + "/aaa")) + std::stol(node.quota_of(node.service + "/bbb"));
    ASSERT_GE(pod, sum) << "second " << i;
  }
  EXPECT_EQ(node.quota_of(node.service + "/aaa"), "200000");
  EXPECT_EQ(node.quota_of(node.service + "/bbb"), "50000");
  agent.quit();
  EXPECT_EQ(node.quota_of(node.service + "/aaa"), "100000");
  EXPECT_EQ(node.quota_of(node.service), "150000");
}

TEST_P(SteppedBurst, ThePodsAnnotationOverridesTheNode) {
  BurstNode node(GetParam(), "cpuBurstStrategy: {policy: auto}\n",
                 R"("koordinator.sh/cpuBurst":"{\"policy\":\"none\"}")");
  SteppedAgent agent(node.args(node.pods));
  node.seconds(3, agent);
  EXPECT_EQ(node.burst_of(node.service + "/aaa"), "0");
}

TEST_P(SteppedBurst, HandsOffPreventsWrites) {
  BurstNode node(GetParam(), "cpuBurstStrategy: {policy: auto}\n");
  SteppedAgent agent(node.args(node.pods));
  node.seconds(3, agent);
  ASSERT_NE(node.burst_of(node.service + "/aaa"), "0");
  node.pod_list(pods_with(R"("evenkeel.io/hands-off":"true")"));
  node.second(agent);
  EXPECT_EQ(node.burst_of(node.service + "/aaa"), "0") << "asked off: what was written goes back";
}

TEST_P(SteppedBurst, AReappliedSpecIsRespected) {
  BurstNode node(GetParam(), "cpuBurstStrategy: {policy: cfsQuotaBurstOnly, cfsQuotaBurstPercent: 200}\n");
  node.service_uses(1000_mcpu);
  SteppedAgent agent(node.args(node.pods));
  node.second(agent);
  node.throttled(node.service + "/aaa", true);
  node.seconds(5, agent);
  ASSERT_NE(node.quota_of(node.service + "/aaa"), "100000");
  node.set_quota(node.service + "/aaa", "100000");
  node.seconds(100, agent);
  EXPECT_EQ(node.quota_of(node.service + "/aaa"), "100000");
}

/// A service without requests, and a second best-effort pod: pods of the BestEffort directory.
constexpr const char* kMorePods = R"(,
 {"metadata":{"uid":"44444444-4444-4444-4444-444444444444","namespace":"shop","name":"front",
   "labels":{"koordinator.sh/qosClass":"LS"}},
  "spec":{"containers":[{"name":"e","resources":{}}]},
  "status":{"phase":"Running","qosClass":"BestEffort","containerStatuses":[
    {"name":"e","containerID":"containerd://eee","state":{"running":{}}}]}}]})";

TEST_P(SteppedBurst, OnlyBestEffortPodsBesideAServiceBecomeIdle) {
  BurstNode node(GetParam(), "resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}\n");
  SteppedAgent agent(node.args(node.pods));
  node.seconds(2, agent);
  EXPECT_EQ(node.idle_of(node.batch), "0") << "the kernel compares siblings only, and there is none";
  const std::string front =
      node.host.pod(KubeQos::besteffort, "44444444-4444-4444-4444-444444444444", {"eee"});
  std::string with_front = pods_with("");
  with_front.replace(with_front.rfind("]}"), 2, kMorePods);
  node.pod_list(with_front);
  node.seconds(2, agent);
  EXPECT_EQ(node.idle_of(front), "0");
  EXPECT_EQ(node.idle_of(node.batch), "1");
  EXPECT_EQ(node.idle_of(node.batch + "/ccc"), "0");
  EXPECT_EQ(node.idle_of(node.besteffort()), "0") << "an idle QoS directory keeps a kubelet from starting";
  EXPECT_EQ(node.idle_of(node.service), "0");
  const std::string late =
      node.host.pod(KubeQos::besteffort, "33333333-3333-3333-3333-333333333333", {"ddd"});
  node.second(agent);
  EXPECT_EQ(node.idle_of(late), "1");
  node.host.remove_cgroup(late);
  EXPECT_TRUE(node.second(agent).errors.empty()) << "a vanished cgroup is no error";
  agent.quit();
  EXPECT_EQ(node.idle_of(node.batch), "0");
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedBurst, testing::Values(Kernel::v1, Kernel::v2), kernel_name);

}  // namespace
}  // namespace evenkeel::test
