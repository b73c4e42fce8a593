// Tests Koordinator's and this agent's labels and annotations on pods and on the Node.
#include <gtest/gtest.h>

#include "agent/pods/pod_list.h"
#include "tests/support/malformed.h"

using namespace evenkeel;
using namespace evenkeel::literals;

namespace {

pods::PodList pod_with(const std::string& metadata, const std::string& spec = "") {
  return pods::parse_pod_list("items: [{metadata: {uid: u, name: p, " + metadata + "}, spec: {" + spec +
                                  "}, status: {qosClass: Burstable}}]",
                              "f");
}
Pod only_pod(const pods::PodList& list) {
  EXPECT_EQ(list.pods.size(), 1U);
  return list.pods.empty() ? Pod{} : list.pods[0];
}

TEST(PodProtocol, UnknownQosLabelsNameNoClass) {
  EXPECT_EQ(only_pod(pod_with("labels: {koordinator.sh/qosClass: LSE}")).label_qos, QosClass::lse);
  EXPECT_EQ(only_pod(pod_with("labels: {koordinator.sh/qosClass: SYSTEM}")).label_qos, QosClass::system);
  EXPECT_EQ(only_pod(pod_with("labels: {koordinator.sh/qosClass: be}")).label_qos, std::nullopt);
  EXPECT_EQ(only_pod(pod_with("labels: {koordinator.sh/qosClass: \"\"}")).label_qos, std::nullopt);
  EXPECT_EQ(default_qos(only_pod(pod_with("labels: null"))), QosClass::ls);
}

TEST(PodProtocol, PriorityClassFromTheLabelElseFromTheNumber) {
  struct Case {
    const char* metadata;
    const char* spec;
    PriorityClass expected;
  };
  const std::vector<Case> cases = {
      {"labels: {koordinator.sh/priority-class: koord-mid}", "priority: 9500", PriorityClass::mid},
      {"labels: {koordinator.sh/priority-class: gold}", "priority: 9500", PriorityClass::none},
      {"", "priority: 9000", PriorityClass::prod},
      {"", "priority: 9999", PriorityClass::prod},
      {"", "priority: 8999", PriorityClass::none},
      {"", "priority: 7000", PriorityClass::mid},
      {"", "priority: 5999", PriorityClass::batch},
      {"", "priority: 3000", PriorityClass::free},
      {"", "priority: 0", PriorityClass::none},
      {"", "priority: -5", PriorityClass::none},
      {"", "", PriorityClass::none},
      {"", "priority: 2000001000", PriorityClass::none},
  };
  for (const auto& c : cases)
    EXPECT_EQ(only_pod(pod_with(c.metadata, c.spec)).priority_class, c.expected) << c.spec;
}

TEST(PodProtocol, HandsOffIsExactlyTrue) {
  EXPECT_TRUE(only_pod(pod_with("annotations: {evenkeel.io/hands-off: \"true\"}")).hands_off);
  EXPECT_FALSE(only_pod(pod_with("annotations: {evenkeel.io/hands-off: \"yes\"}")).hands_off);
  EXPECT_FALSE(only_pod(pod_with("")).hands_off);
}

TEST(PodProtocol, BurstAnnotationReplacesFieldByField) {
  const auto list = pod_with(
      R"(annotations: {koordinator.sh/cpuBurst: '{"policy":"auto","cpuBurstPercent":200,"cfsQuotaBurstPeriodSeconds":-1}'})");
  const auto burst = only_pod(list).cpu_burst;
  EXPECT_TRUE(list.notices.empty());
  EXPECT_EQ(burst.policy, "auto");
  EXPECT_EQ(burst.cpu_burst_percent, Percent(200));
  EXPECT_EQ(burst.cfs_quota_burst_percent, std::nullopt);
  EXPECT_EQ(burst.cfs_quota_burst_period_seconds, -1);
}

TEST(PodProtocol, AnInvalidBurstAnnotationKeepsTheNodesSettings) {
  const std::vector<std::string> bad = {"",
                                        "{",
                                        "auto",
                                        "[1]",
                                        R"({"policy":"sometimes"})",
                                        R"({"policy":5})",
                                        R"({"cpuBurstPercent":"200"})",
                                        R"({"cpuBurstPercent":-1})",
                                        R"({"cpuBurstPercent":1.5})",
                                        R"({"cfsQuotaBurstPercent":99})",
                                        R"({"cfsQuotaBurstPeriodSeconds":-2})",
                                        R"({"policy":"auto","policy":"none"})",
                                        R"({"cpuBurstPercent":99999999999999999999})"};
  for (const auto& text : bad) {
    const auto list = pod_with("annotations: {koordinator.sh/cpuBurst: '" + text + "'}");
    const auto burst = only_pod(list).cpu_burst;
    EXPECT_FALSE(burst.policy || burst.cpu_burst_percent || burst.cfs_quota_burst_percent) << text;
    ASSERT_EQ(list.notices.size(), 1U) << text;
    EXPECT_NE(list.notices[0].find("koordinator.sh/cpuBurst"), std::string::npos) << list.notices[0];
  }
}

pods::PodList pod_with_cpu_qos(const std::string& text, const std::string& qos_class = "LS") {
  return pod_with("labels: {koordinator.sh/qosClass: " + qos_class +
                  "}, annotations: {koordinator.sh/cpuQOS: '" + text + "'}");
}

TEST(PodProtocol, AServiceMaySetItsGroupIdentity) {
  struct Case {
    const char* text;
    std::optional<std::int64_t> expected;
  };
  const std::vector<Case> cases = {
      {R"({"enable":true,"groupIdentity":1})", 1},
      {R"({"enable":true,"groupIdentity":-1})", -1},
      {R"({"enable":true,"groupIdentity":2,"schedIdle":1,"coreExpeller":true})", 2},
      {R"({"enable":false,"groupIdentity":2})", 0},
      {R"({"groupIdentity":-1})", 0},
      {R"({})", 0},
      {R"({"enable":null})", 0},
      {R"({"enable":true})", std::nullopt},
      {R"({"enable":true,"groupIdentity":null})", std::nullopt},
  };
  for (const auto& c : cases) {
    const auto list = pod_with_cpu_qos(c.text);
    EXPECT_EQ(only_pod(list).group_identity, c.expected) << c.text;
    EXPECT_TRUE(list.notices.empty()) << c.text;
  }
  EXPECT_EQ(only_pod(pod_with("labels: {koordinator.sh/qosClass: LS}")).group_identity, std::nullopt);
}

TEST(PodProtocol, AnInvalidGroupIdentityKeepsTheClassSetting) {
  const std::vector<std::string> bad = {"",
                                        "{",
                                        "2",
                                        "[2]",
                                        R"({"enable":true,"groupIdentity":3})",
                                        R"({"enable":true,"groupIdentity":-2})",
                                        R"({"enable":false,"groupIdentity":3})",
                                        R"({"enable":true,"groupIdentity":"1"})",
                                        R"({"enable":true,"groupIdentity":1.5})",
                                        R"({"enable":true,"groupIdentity":true})",
                                        R"({"enable":true,"groupIdentity":[1]})",
                                        R"({"enable":true,"groupIdentity":99999999999999999999})",
                                        R"({"enable":"true","groupIdentity":1})",
                                        R"({"enable":1,"groupIdentity":1})",
                                        R"({"enable":{},"groupIdentity":1})",
                                        R"({"enable":true,"enable":false})"};
  for (const auto& text : bad) {
    const auto list = pod_with_cpu_qos(text);
    EXPECT_EQ(only_pod(list).group_identity, std::nullopt) << text;
    ASSERT_EQ(list.notices.size(), 1U) << text;
    EXPECT_NE(list.notices[0].find("koordinator.sh/cpuQOS"), std::string::npos) << list.notices[0];
  }
}

TEST(PodProtocol, OnlyTheLabelLsMaySetAGroupIdentity) {
  for (const auto* other : {"LSE", "LSR", "BE", "SYSTEM", "ls"}) {
    const auto list = pod_with_cpu_qos(R"({"enable":true,"groupIdentity":1})", other);
    EXPECT_EQ(only_pod(list).group_identity, std::nullopt) << other;
    EXPECT_EQ(list.notices.size(), 1U) << other;
  }
  const auto unlabelled = pod_with(R"(annotations: {koordinator.sh/cpuQOS: '{"enable":true}'})");
  EXPECT_EQ(only_pod(unlabelled).group_identity, std::nullopt);
  EXPECT_EQ(unlabelled.notices.size(), 1U);
}

TEST(PodProtocol, AllocatedCpusComeFromTheScheduler) {
  const auto cpus = [](const std::string& text) {
    return pod_with("annotations: {scheduling.koordinator.sh/resource-status: '" + text + "'}");
  };
  EXPECT_EQ(only_pod(cpus(R"({"cpuset":"0-1,4"})")).allocated_cpus, CpuSet::parse("0-1,4"));
  EXPECT_EQ(only_pod(cpus(R"({"cpuset":""})")).allocated_cpus, std::nullopt);
  EXPECT_EQ(only_pod(cpus(R"({"numaNodeResources":[]})")).allocated_cpus, std::nullopt);
  for (const auto* bad : {R"({"cpuset":"a"})", R"({"cpuset":"3-1"})", R"({"cpuset":"99999"})", "{", ""}) {
    EXPECT_EQ(only_pod(cpus(bad)).allocated_cpus, std::nullopt) << bad;
    EXPECT_EQ(cpus(bad).notices.size(), 1U) << bad;
  }
}

TEST(PodProtocol, NumaNodesComeFromTheSchedulerToo) {
  const auto status = [](const std::string& text) {
    return pod_with("annotations: {scheduling.koordinator.sh/resource-status: '" + text + "'}");
  };
  const auto both = status(R"({"cpuset":"0-1","numaNodeResources":[{"node":1,"resources":{"cpu":"2"}},{}]})");
  EXPECT_TRUE(both.notices.empty());
  EXPECT_EQ(only_pod(both).numa_nodes, (std::vector<int>{1, 0})) << "a zero is left out of the JSON";
  EXPECT_EQ(only_pod(both).cpu_numa_nodes, std::vector<int>{1});
  EXPECT_TRUE(only_pod(status(R"({"numaNodeResources":null})")).numa_nodes.empty());
  for (const auto* bad :
       {R"({"numaNodeResources":{}})", R"({"numaNodeResources":[0]})",
        R"({"numaNodeResources":[{"node":"0"}]})", R"({"numaNodeResources":[{"node":-1}]})",
        R"({"numaNodeResources":[{"node":1.5}]})", R"({"numaNodeResources":[{"node":1024}]})"}) {
    EXPECT_TRUE(only_pod(status(bad)).numa_nodes.empty()) << bad;
    EXPECT_EQ(status(bad).notices.size(), 1U) << bad;
  }
}

const char* const kNode = R"(
kind: Node
metadata:
  name: worker-1
  labels: {zone: a}
  annotations:
    node.koordinator.sh/reservation: '{"resources":{"cpu":"8","memory":"2Gi"},"reservedCPUs":"0-1"}'
    node.koordinator.sh/system-qos-resource: '{"cpuset":"2-3"}'
    kubelet.koordinator.sh/cpu-manager-policy: '{"policy":"static"}'
status:
  capacity: {cpu: "32", memory: 131072Mi, pods: "110"}
  allocatable: {cpu: 31500m, memory: 128Gi}
)";

TEST(NodeObject, ReadsAmountsAndAnnotations) {
  const auto file = pods::parse_node(kNode, "f");
  ASSERT_TRUE(file.problems.empty());
  EXPECT_TRUE(file.notices.empty());
  const auto& node = file.node;
  EXPECT_EQ(node.name, "worker-1");
  EXPECT_EQ(node.cpu_capacity, 32000_mcpu);
  EXPECT_EQ(node.cpu_allocatable, 31500_mcpu);
  EXPECT_EQ(node.memory_capacity, 131072_MiB);
  EXPECT_EQ(node.memory_allocatable, 131072_MiB);
  EXPECT_EQ(node.reserved_cpu, 2000_mcpu) << "the number of reservedCPUs replaces the amount";
  EXPECT_EQ(node.reserved_memory, 2048_MiB);
  EXPECT_EQ(node.reserved_cpus, CpuSet::parse("0-1"));
  EXPECT_EQ(node.system_qos_cpus, CpuSet::parse("2-3"));
  EXPECT_TRUE(node.kubelet_static_cpu_manager);
  EXPECT_EQ(node.labels.at("zone"), "a");
}

TEST(NodeObject, SharedSystemCpusAreNotSubtracted) {
  const auto file = pods::parse_node(
      R"({"metadata":{"annotations":{"node.koordinator.sh/system-qos-resource":"{\"cpuset\":\"2\",\"cpusetExclusive\":false}"}}})",
      "f");
  EXPECT_EQ(file.node.system_qos_cpus, CpuSet::parse("2"));
  EXPECT_TRUE(file.node.system_qos_cpus_shared) << "system pods run there, and others may, too";
}

TEST(NodeObject, InvalidPartsStayUnknownWithANotice) {
  const std::vector<std::string> bad = {
      "status: {capacity: {cpu: lots}}",
      "status: {capacity: {cpu: 0}}",
      "status: {capacity: {cpu: -4}}",
      "status: {allocatable: {memory: 1e40}}",
      "status: {allocatable: {memory: [1]}}",
      "metadata: {annotations: {node.koordinator.sh/reservation: '{'}}",
      R"(metadata: {annotations: {node.koordinator.sh/reservation: '{"reservedCPUs":"9-1"}'}})",
      R"(metadata: {annotations: {node.koordinator.sh/reservation: '{"resources":{"cpu":"-1"}}'}})",
      R"(metadata: {annotations: {node.koordinator.sh/system-qos-resource: '{"cpuset":"x"}'}})",
      "metadata: {annotations: {kubelet.koordinator.sh/cpu-manager-policy: static}}",
  };
  for (const auto& text : bad) {
    const auto file = pods::parse_node(text, "f");
    EXPECT_TRUE(file.problems.empty()) << text;
    EXPECT_EQ(file.notices.size(), 1U) << text;
    const auto& node = file.node;
    EXPECT_FALSE(node.cpu_capacity || node.memory_allocatable || node.reserved_cpu || node.system_qos_cpus)
        << text;
    EXPECT_FALSE(node.kubelet_static_cpu_manager);
  }
}

TEST(NodeObject, TextsThatAreNotANodeAreProblems) {
  for (const auto* text : {"", "[]", "5", "kind: Pod\n", "{\"status\": "}) {
    EXPECT_FALSE(pods::parse_node(text, "f").problems.empty()) << text;
  }
  for (const auto& text : test::malformed_texts()) {
    EXPECT_FALSE(pods::parse_node(text, "f").problems.empty()) << text.substr(0, 40);
  }
}

TEST(PodProtocol, MemoryQosAnnotationIsReadCompletelyOrNotAtAll) {
  using Policy = MemoryQosOverride::Policy;
  const auto with = [](const std::string& text) {
    return pod_with("annotations: {koordinator.sh/memoryQOS: '" + text + "'}");
  };
  MemoryQosOverride own{Policy::automatic, Percent(10), std::nullopt, Percent(90), 1,
                        Percent(95),       30,          -25,          1,           12};
  own.page_cache_enable = false;
  own.page_cache_reclaim_sync = true;
  own.page_cache_limit_percent = Percent(50);
  own.page_cache_limit_size = Bytes(1048576);
  const auto all = with(
      R"({"policy":"auto","minLimitPercent":10,"throttlingPercent":90,"oomKillGroup":1,"wmarkRatio":95,)"
      R"("wmarkScalePermill":30,"wmarkMinAdj":-25,"priorityEnable":1,"priority":12,"pageCacheReclaimSync":true,)"
      R"("pageCacheEnable":false,"pageCacheLimitPercent":50,"pageCacheLimitSize":1048576})");
  EXPECT_EQ(only_pod(all).memory_qos, own);
  EXPECT_EQ(only_pod(with(R"({"policy":"none"})")).memory_qos.policy, Policy::none);
  EXPECT_EQ(only_pod(with(R"({"policy":"default"})")).memory_qos, MemoryQosOverride{});
  for (const char* bad :
       {"{", "[]", R"({"policy":"some"})", R"({"minLimitPercent":-1})", R"({"lowLimitPercent":101})",
        R"({"throttlingPercent":"80"})", R"({"oomKillGroup":2})", R"({"wmarkRatio":101})",
        R"({"wmarkScalePermill":0})", R"({"wmarkMinAdj":51})", R"({"priority":13})",
        R"({"priorityEnable":true})", R"({"pageCacheReclaimSync":"true"})", R"({"pageCacheEnable":1})",
        R"({"pageCacheLimitSize":-1})", R"({"policy":["none"]})"}) {
    const auto list = with(bad);
    EXPECT_EQ(only_pod(list).memory_qos, MemoryQosOverride{}) << bad;
    ASSERT_EQ(list.notices.size(), 1U) << bad;
    EXPECT_NE(list.notices[0].find("the pod's class applies"), std::string::npos) << list.notices[0];
  }
}

}  // namespace
