#include <gtest/gtest.h>

#include "qos/model/pod_resources.h"

namespace evenkeel {
namespace {

using namespace literals;

Container asking(MilliCpu cpu, std::optional<Bytes> memory = {}) {
  Container container;
  container.requests.cpu = cpu;
  container.requests.memory = memory;
  return container;
}

TEST(PodRequests, ContainersAndSidecarsTogetherPlusOverhead) {
  Pod pod;
  pod.containers = {asking(1000_mcpu, 1_MiB), asking(500_mcpu)};
  pod.containers[1].sidecar = true;
  pod.overhead.cpu = 250_mcpu;
  EXPECT_EQ(pod_requests(pod).cpu, 1750_mcpu);
  EXPECT_EQ(pod_requests(pod).memory, 1_MiB);
  EXPECT_EQ(pod_requests(pod).batch_cpu, std::nullopt);
}

TEST(PodRequests, TheInitContainersPeakCountsPerResource) {
  Pod pod;
  pod.containers = {asking(1000_mcpu, 8_MiB)};
  pod.init_peak.cpu = 3000_mcpu;
  pod.init_peak.memory = 2_MiB;
  pod.overhead.cpu = 100_mcpu;
  EXPECT_EQ(pod_requests(pod).cpu, 3100_mcpu);
  EXPECT_EQ(pod_requests(pod).memory, 8_MiB);
}

TEST(PodRequests, ALimitWithoutARequestIsTheRequest) {
  Pod pod;
  pod.containers.resize(2);
  pod.containers[0].limits.batch_cpu = 4000_mcpu;
  pod.containers[0].limits.mid_memory = 5_MiB;
  pod.containers[1].limits.batch_cpu = 4000_mcpu;
  pod.containers[1].requests.batch_cpu = 0_mcpu;
  EXPECT_EQ(pod_requests(pod).batch_cpu, 4000_mcpu);
  EXPECT_EQ(pod_requests(pod).mid_memory, 5_MiB);
}

TEST(PodRequests, ThoseOfThePodAsAWholeCountInPlaceOfTheSum) {
  Pod pod;
  pod.containers = {asking(1000_mcpu, 8_MiB), asking(500_mcpu)};
  pod.init_peak.cpu = 9000_mcpu;
  pod.overhead.cpu = 100_mcpu;
  pod.pod_level_requests.cpu = 4000_mcpu;
  EXPECT_EQ(pod_requests(pod).cpu, 4100_mcpu);
  EXPECT_EQ(pod_requests(pod).memory, 8_MiB) << "not given for the pod";
  pod.pod_level_limits.memory = 64_MiB;
  EXPECT_EQ(pod_requests(pod).memory, 8_MiB) << "its containers request some";
  pod.containers[0].requests.memory.reset();
  EXPECT_EQ(pod_requests(pod).memory, 64_MiB) << "a limit without any request is the request";
}

TEST(PodLimits, AContainerWithoutOneHasThatOfThePod) {
  Pod pod;
  pod.containers.resize(2);
  pod.containers[0].limits.cpu = 200_mcpu;
  EXPECT_EQ(cpu_limit_of(pod, pod.containers[0]), 200_mcpu);
  EXPECT_EQ(cpu_limit_of(pod, pod.containers[1]), std::nullopt);
  EXPECT_EQ(cpu_limit_of(pod), std::nullopt) << "one container is unlimited";
  pod.containers[1].limits.cpu = 100_mcpu;
  EXPECT_EQ(cpu_limit_of(pod), 300_mcpu);
  pod.containers[1].limits.cpu = 0_mcpu;
  pod.pod_level_limits.cpu = 500_mcpu;
  pod.pod_level_limits.memory = 64_MiB;
  EXPECT_EQ(cpu_limit_of(pod, pod.containers[1]), 500_mcpu) << "zero is unlimited";
  EXPECT_EQ(memory_limit_of(pod, pod.containers[1]), 64_MiB);
  EXPECT_EQ(cpu_limit_of(pod), 500_mcpu);
  EXPECT_EQ(cpu_limit_of(Pod{}), std::nullopt);
}

TEST(PodRequests, AbsurdSumsStayAtTheEndOfTheRange) {
  Pod pod;
  pod.containers.resize(3);
  for (auto& container : pod.containers) container.requests.batch_memory = Bytes(INT64_MAX / 2);
  EXPECT_EQ(pod_requests(pod).batch_memory, Bytes(INT64_MAX));
}

TEST(ClampedSums, StayWithinTheRange) {
  constexpr Bytes kMost(INT64_MAX);
  constexpr Bytes kLeast(INT64_MIN);
  EXPECT_EQ(clamped_sum(kMost, 1_B), kMost);
  EXPECT_EQ(clamped_sum(kLeast, Bytes(-1)), kLeast);
  EXPECT_EQ(clamped_sum(kLeast, kMost), Bytes(-1));
  EXPECT_EQ(clamped_difference(kLeast, 1_B), kLeast);
  EXPECT_EQ(clamped_difference(1_B, kLeast), kMost);
  EXPECT_EQ(clamped_difference(Bytes(-1), kLeast), kMost);
  EXPECT_EQ(clamped_difference(5_B, 7_B), Bytes(-2));
}

TEST(DefaultPriorityClass, IsTheRawOneElseByQos) {
  Pod pod;
  EXPECT_EQ(default_priority_class(pod), PriorityClass::batch) << "best effort by its requests";
  pod.kube_qos = KubeQos::burstable;
  EXPECT_EQ(default_priority_class(pod), PriorityClass::prod);
  pod.label_qos = QosClass::be;
  EXPECT_EQ(default_priority_class(pod), PriorityClass::batch);
  pod.label_qos = QosClass::system;
  EXPECT_EQ(default_priority_class(pod), PriorityClass::prod);
  pod.priority_class = PriorityClass::free;
  EXPECT_EQ(default_priority_class(pod), PriorityClass::free);
}

}  // namespace
}  // namespace evenkeel
