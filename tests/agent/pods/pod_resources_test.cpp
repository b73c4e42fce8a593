// Requests and limits: of the pod as a whole, and while the kubelet resizes a pod in place.
#include <gtest/gtest.h>

#include "tests/support/scenes/one_pod.h"

using namespace evenkeel;
using namespace evenkeel::literals;
using test::one;

namespace {

TEST(PodResources, LimitsAreThoseThatTheKubeletHasCarriedOut) {
  const auto limits = [](const std::string& status) {
    return one("name: a, uid: u-1",
               "containers: [{name: c, resources: {limits: {cpu: 2, memory: 4Gi, kubernetes.io/batch-cpu: "
               "500}}}]",
               "phase: Running, containerStatuses: [{name: c, containerID: 'containerd://c1'" + status + "}]")
        .pods.at(0)
        .containers.at(0)
        .limits;
  };
  EXPECT_EQ(limits("").cpu, 2000_mcpu) << "a kubelet before 1.27 says nothing";
  const auto deferred = limits(", resources: {limits: {cpu: 500m, memory: 1Gi}, requests: {cpu: 500m}}");
  EXPECT_EQ(deferred.cpu, 500_mcpu);
  EXPECT_EQ(deferred.memory, 1024_MiB);
  EXPECT_EQ(deferred.batch_cpu, 500_mcpu) << "not resizable: that of the spec";
  EXPECT_EQ(limits(", resources: {}").cpu, std::nullopt) << "the limit was taken away";
  EXPECT_EQ(limits(", resources: {limits: {cpu: nonsense}}").cpu, 2000_mcpu);
}

TEST(PodResources, ALimitThatTheKubeletHasNotCarriedOutIsPending) {
  const auto pending = [](const std::string& actual) {
    return one("name: a, uid: u-1", "containers: [{name: c, resources: {limits: {cpu: 2}}}]",
               "phase: Running, containerStatuses: [{name: c, resources: {limits: {cpu: " + actual + "}}}]")
        .pods.at(0)
        .containers.at(0)
        .pending_cpu_limit;
  };
  EXPECT_EQ(pending("4"), 2000_mcpu);
  EXPECT_EQ(pending("2"), std::nullopt);
}

TEST(PodResources, ResourcesOfThePodAsAWhole) {
  const auto pod = [](const std::string& resources, const std::string& status = "phase: Running") {
    return one("name: a, uid: u-1", "resources: {" + resources + "}, containers: [{name: c}]", status);
  };
  const auto read = pod("requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: 1, memory: 2Gi}");
  EXPECT_EQ(read.pods.at(0).pod_level_requests.cpu, 500_mcpu);
  EXPECT_EQ(read.pods.at(0).pod_level_limits.memory, 2048_MiB);
  EXPECT_EQ(read.pods.at(0).kube_qos, KubeQos::burstable);
  const std::string same = "{cpu: 1, memory: 1Gi}";
  EXPECT_EQ(pod("requests: " + same + ", limits: " + same).pods.at(0).kube_qos, KubeQos::guaranteed);
  const auto deferred = pod("limits: {cpu: 8, memory: 1Gi}",
                            "phase: Running, resources: {limits: {cpu: 1, memory: 1Gi}}, "
                            "conditions: [{type: PodResizePending, reason: Deferred}]");
  EXPECT_EQ(deferred.pods.at(0).pod_level_limits.cpu, 1000_mcpu) << "what the kubelet has carried out";
  EXPECT_EQ(deferred.pods.at(0).pending_pod_level_cpu, 8000_mcpu);
  const auto as_raised = pod("limits: {cpu: 1500m}",
                             "phase: Running, resources: {limits: {cpu: 1500m}}, "
                             "conditions: [{type: Ready}, {type: PodResizePending, reason: Deferred}]");
  EXPECT_EQ(as_raised.pods.at(0).pending_pod_level_cpu, 1500_mcpu)
      << "burst happens to have set what is asked for";
  const auto unseen =
      one("name: a, uid: u-1, generation: 3", "resources: {limits: {cpu: 8}}, containers: [{name: c}]",
          "phase: Running, observedGeneration: 2, resources: {limits: {cpu: 1}}");
  EXPECT_EQ(unseen.pods.at(0).pod_level_limits.cpu, 1000_mcpu) << "the kubelet has not looked at it yet";
  const auto divided = pod("limits: {cpu: 2}", "phase: Running, resources: {limits: {cpu: 1334m}}");
  EXPECT_EQ(divided.pods.at(0).pod_level_limits.cpu, 2000_mcpu) << "the kubelet tells what normalization set";
  EXPECT_EQ(divided.pods.at(0).pending_pod_level_cpu, std::nullopt);
  const auto raised =
      pod("limits: {cpu: 500m}", "phase: Running, resources: {limits: {cpu: 750m, memory: 1Gi}}");
  EXPECT_EQ(raised.pods.at(0).pod_level_limits.cpu, 500_mcpu)
      << "the kubelet tells the quota that burst has raised";
  EXPECT_EQ(raised.pods.at(0).pending_pod_level_cpu, std::nullopt);
  EXPECT_EQ(raised.pods.at(0).pod_level_limits.memory, std::nullopt) << "the sum of its containers' limits";
  const auto none = pod("", "phase: Running, resources: {limits: {cpu: 1500m}}");
  EXPECT_EQ(none.pods.at(0).pod_level_limits.cpu, std::nullopt) << "the pod asks for none";
  const auto bad = pod("limits: {cpu: nonsense}");
  EXPECT_TRUE(bad.pods.empty());
  ASSERT_FALSE(bad.notices.empty());
  EXPECT_NE(bad.notices[0].find("spec.resources.limits."), std::string::npos) << bad.notices[0];
}

TEST(PodResources, AResizeUnderWayDoesNotChangeTheClass) {
  const auto pod = one("name: a, uid: u-1",
                       "containers: [{name: c, resources: {requests: {cpu: 2, memory: 1Gi}, limits: {cpu: 2, "
                       "memory: 1Gi}}}]",
                       "containerStatuses: [{name: c, resources: {limits: {cpu: 1, memory: 1Gi}}}]");
  EXPECT_EQ(pod.pods.at(0).kube_qos, KubeQos::guaranteed);
}

}  // namespace
