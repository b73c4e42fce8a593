// The program as a black box: CPU burst, and best effort that yields.
#include <gtest/gtest.h>

#include "tests/support/fake_node.h"
#include "tests/support/stepped_agent.h"

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

struct Scene {
  Scene(Kernel kernel, const std::string& nodeslo, const std::string& annotations = {})
      : node(16, kernel), v1(kernel == Kernel::v1) {
    pod = node.host.pod(KubeQos::burstable, "11111111-1111-1111-1111-111111111111", {"aaa", "bbb"});
    batch = node.host.pod(KubeQos::besteffort, "22222222-2222-2222-2222-222222222222", {"ccc"});
    set_quota(pod, "150000");
    set_quota(pod + "/aaa", "100000");
    set_quota(pod + "/bbb", "50000");
    for (const auto& container : {pod + "/aaa", pod + "/bbb"}) node.throttled(container, false);
    slo = node.text_file("nodeslo.yaml", nodeslo);
    pods = node.text_file("pods.json", pods_with(annotations));
  }
  void set_quota(const std::string& cgroup, const std::string& quota) {
    node.host.write(Controller::cpu, cgroup, v1 ? "cpu.cfs_quota_us" : "cpu.max",
                    v1 ? quota + "\n" : quota + " 100000\n");
  }
  std::string burst_of(const std::string& cgroup) const {
    const std::string text =
        node.host.read(Controller::cpu, cgroup, v1 ? "cpu.cfs_burst_us" : "cpu.max.burst");
    return text.substr(0, text.find('\n'));
  }
  std::string idle_of(const std::string& cgroup) const {
    return node.host.read(Controller::cpu, cgroup, "cpu.idle").substr(0, 1);
  }
  std::vector<std::string> args() const {
    return {"--host-root", node.host.root(), "--nodeslo",   slo,
            "--pods",      "file:" + pods,   "--state-dir", node.state_dir()};
  }
  Step second(SteppedAgent& agent) {
    node.run(std::chrono::seconds(1));
    return agent.advance("1s");
  }
  FakeNode node;
  bool v1;
  std::string pod, batch, slo, pods;
};

class SteppedBurst : public testing::TestWithParam<Kernel> {};

TEST_P(SteppedBurst, StaticBurstIsClampedToTheQuotaAndGoesBack) {
  Scene scene(GetParam(), "cpuBurstStrategy: {policy: cpuBurstOnly}\n");
  SteppedAgent agent(scene.args());
  for (int i = 0; i < 3; ++i) scene.second(agent);
  EXPECT_EQ(scene.burst_of(scene.pod + "/aaa"), "100000")
      << "1000 % of a CPU, but the kernel takes no more than the quota";
  EXPECT_EQ(scene.burst_of(scene.pod + "/bbb"), "50000");
  EXPECT_EQ(scene.burst_of(scene.pod), "150000");
  EXPECT_EQ(scene.burst_of(scene.batch + "/ccc"), "0");
  agent.quit();
  for (const auto& cgroup : {scene.pod, scene.pod + "/aaa", scene.pod + "/bbb"})
    EXPECT_EQ(scene.burst_of(cgroup), "0");
}

TEST_P(SteppedBurst, AThrottledContainerGrowsToItsCeilingAndThePodWithIt) {
  Scene scene(GetParam(), "cpuBurstStrategy: {policy: cfsQuotaBurstOnly, cfsQuotaBurstPercent: 200}\n");
  scene.node.uses(scene.pod + "/aaa", 1000_mcpu);
  SteppedAgent agent(scene.args());
  scene.second(agent);
  scene.node.throttled(scene.pod + "/aaa", true);
  for (int i = 0; i < 20; ++i) {
    scene.second(agent);
    const long pod = std::stol(scene.node.quota_of(scene.pod));
    const long sum = std::stol(scene.node.quota_of(scene.pod + "/aaa")) +
                     std::stol(scene.node.quota_of(scene.pod + "/bbb"));
    ASSERT_GE(pod, sum) << "second " << i;
  }
  EXPECT_EQ(scene.node.quota_of(scene.pod + "/aaa"), "200000");
  EXPECT_EQ(scene.node.quota_of(scene.pod + "/bbb"), "50000");
  agent.quit();
  EXPECT_EQ(scene.node.quota_of(scene.pod + "/aaa"), "100000");
  EXPECT_EQ(scene.node.quota_of(scene.pod), "150000");
}

TEST_P(SteppedBurst, ThePodsAnnotationOverridesTheNode) {
  Scene scene(GetParam(), "cpuBurstStrategy: {policy: auto}\n",
              R"("koordinator.sh/cpuBurst":"{\"policy\":\"none\"}")");
  SteppedAgent agent(scene.args());
  for (int i = 0; i < 3; ++i) scene.second(agent);
  EXPECT_EQ(scene.burst_of(scene.pod + "/aaa"), "0");
}

TEST_P(SteppedBurst, HandsOffMeansHandsOff) {
  Scene scene(GetParam(), "cpuBurstStrategy: {policy: auto}\n");
  SteppedAgent agent(scene.args());
  for (int i = 0; i < 3; ++i) scene.second(agent);
  ASSERT_NE(scene.burst_of(scene.pod + "/aaa"), "0");
  scene.node.text_file("pods.json", pods_with(R"("evenkeel.io/hands-off":"true")"));
  scene.second(agent);
  EXPECT_EQ(scene.burst_of(scene.pod + "/aaa"), "0") << "asked off: what was written goes back";
}

TEST_P(SteppedBurst, AnOwnerWhoReappliesItsSpecIsNotOverruled) {
  Scene scene(GetParam(), "cpuBurstStrategy: {policy: cfsQuotaBurstOnly, cfsQuotaBurstPercent: 200}\n");
  scene.node.uses(scene.pod + "/aaa", 1000_mcpu);
  SteppedAgent agent(scene.args());
  scene.second(agent);
  scene.node.throttled(scene.pod + "/aaa", true);
  for (int i = 0; i < 5; ++i) scene.second(agent);
  ASSERT_NE(scene.node.quota_of(scene.pod + "/aaa"), "100000");
  scene.set_quota(scene.pod + "/aaa", "100000");
  for (int i = 0; i < 100; ++i) scene.second(agent);
  EXPECT_EQ(scene.node.quota_of(scene.pod + "/aaa"), "100000");
}

TEST_P(SteppedBurst, BestEffortPodsBecomeIdleAndOnlyThey) {
  Scene scene(GetParam(), "resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}\n");
  SteppedAgent agent(scene.args());
  for (int i = 0; i < 2; ++i) scene.second(agent);
  EXPECT_EQ(scene.idle_of(scene.batch), "1");
  EXPECT_EQ(scene.idle_of(scene.batch + "/ccc"), "0");
  EXPECT_EQ(scene.idle_of(scene.node.besteffort()), "0")
      << "an idle QoS directory keeps a kubelet from starting";
  EXPECT_EQ(scene.idle_of(scene.pod), "0");
  const std::string late =
      scene.node.host.pod(KubeQos::besteffort, "33333333-3333-3333-3333-333333333333", {"ddd"});
  scene.second(agent);
  EXPECT_EQ(scene.idle_of(late), "1");
  scene.node.host.remove_cgroup(late);
  EXPECT_TRUE(scene.second(agent).errors.empty()) << "a vanished cgroup is no error";
  agent.quit();
  EXPECT_EQ(scene.idle_of(scene.batch), "0");
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedBurst, testing::Values(Kernel::v1, Kernel::v2),
                         [](const auto& kernel) { return kernel.param == Kernel::v1 ? "v1" : "v2"; });

}  // namespace
}  // namespace evenkeel::test
