#include "agent/pods/pod_list.h"

#include <gtest/gtest.h>

#include "tests/support/malformed.h"
#include "tests/support/scenes/one_pod.h"

using namespace evenkeel;
using namespace evenkeel::literals;
using test::good, test::one;

namespace {

const char* const kPods = R"(
apiVersion: v1
kind: PodList
items:
- metadata:
    name: web
    namespace: shop
    uid: 11111111-aaaa-bbbb-cccc-000000000001
    creationTimestamp: "2026-01-01T00:00:00Z"
    labels: {koordinator.sh/qosClass: LSR, app: web}
    annotations: {scheduling.koordinator.sh/resource-status: '{"cpuset":"0-3,8"}', evenkeel.io/hands-off: "true"}
  spec:
    priority: 9100
    initContainers:
    - {name: setup, resources: {limits: {cpu: "9"}}}
    - {name: proxy, restartPolicy: Always, resources: {requests: {cpu: 100m, memory: 64Mi}}}
    containers:
    - name: app
      resources: {requests: {cpu: "1.5", memory: 1Gi}, limits: {cpu: 2, memory: 1536Mi}}
  status:
    phase: Running
    qosClass: Burstable
    containerStatuses:
    - {name: app, containerID: "containerd://abc123", state: {running: {startedAt: "2026-01-01T00:00:00Z"}}}
    initContainerStatuses:
    - {name: proxy, containerID: "cri-o://def456", state: {waiting: {reason: x}}}
- metadata:
    name: crunch
    namespace: batch
    uid: 11111111-aaaa-bbbb-cccc-000000000002
    deletionTimestamp: "2026-01-01T00:00:00Z"
    labels: {koordinator.sh/qosClass: BE, koordinator.sh/priority-class: koord-batch}
  spec:
    priority: 9100
    containers:
    - name: job
      resources:
        requests: {kubernetes.io/batch-cpu: 1k, kubernetes.io/batch-memory: 2Gi}
        limits: {kubernetes.io/batch-cpu: "4000", kubernetes.io/batch-memory: 4e9}
  status: {phase: Pending}
)";

TEST(PodList, AnInitContainerRunsBesideTheSidecarsBeforeIt) {
  const auto list = one("uid: u",
                        "overhead: {cpu: 250m},"
                        "containers: [{name: a, resources: {requests: {cpu: 1, memory: 1Gi}}}],"
                        "initContainers: [{name: early, resources: {limits: {cpu: 2}}},"
                        "{name: proxy, restartPolicy: Always, resources: {requests: {cpu: 500m}}},"
                        "{name: late, resources: {requests: {cpu: 1800m, memory: 1Mi}}}]",
                        "phase: Running");
  ASSERT_EQ(list.pods.size(), 1U);
  EXPECT_EQ(list.pods[0].init_peak.cpu, 2300_mcpu);
  EXPECT_EQ(list.pods[0].init_peak.memory, 1_MiB);
  EXPECT_EQ(list.pods[0].overhead.cpu, 250_mcpu);
  EXPECT_EQ(one("uid: u", "overhead: {cpu: lots}, containers: [{name: a}]", "").pods.size(), 0U);
}

std::string owner_of(const std::string& owners, const std::string& labels = "") {
  const auto list = one("uid: u, labels: {" + labels + "}, ownerReferences: [" + owners + "]",
                        "containers: [{name: a}]", "phase: Running");
  return list.pods.size() == 1 ? list.pods[0].owner : "(no pod)";
}

TEST(PodList, NamesTheOwnerWithoutHash) {
  const std::string hash = "pod-template-hash: 5d7f";
  EXPECT_EQ(owner_of("{kind: ReplicaSet, name: web-5d7f, uid: r, controller: true}", hash), "web");
  EXPECT_EQ(owner_of("{kind: ReplicaSet, name: web-5d7f, uid: r, controller: true}"), "web-5d7f");
  EXPECT_EQ(owner_of("{kind: ReplicaSet, name: -5d7f, uid: r, controller: true}", hash), "-5d7f");
  EXPECT_EQ(owner_of("{kind: StatefulSet, name: db-5d7f, uid: r, controller: true}", hash), "db-5d7f");
  EXPECT_EQ(
      owner_of("{kind: Other, name: x, uid: o}, {kind: DaemonSet, name: log, uid: d, controller: true}"),
      "log");
  EXPECT_EQ(owner_of("{kind: Node, name: node-1, uid: n, controller: true}"), "")
      << "a static pod is its own";
  EXPECT_EQ(owner_of(""), "");
}

TEST(PodList, ReadsEverythingThatPoliciesUse) {
  const auto list = good(kPods);
  ASSERT_EQ(list.pods.size(), 2U);
  EXPECT_TRUE(list.notices.empty());
  const auto& web = list.pods[0];
  EXPECT_EQ(web.uid, "11111111-aaaa-bbbb-cccc-000000000001");
  EXPECT_EQ(web.namespace_, "shop");
  EXPECT_EQ(web.kube_qos, KubeQos::burstable);
  EXPECT_EQ(web.label_qos, QosClass::lsr);
  EXPECT_EQ(web.priority, 9100);
  EXPECT_EQ(web.priority_class, PriorityClass::prod);
  EXPECT_EQ(web.phase, PodPhase::running);
  EXPECT_TRUE(web.hands_off);
  EXPECT_EQ(web.created_unix_seconds, 1767225600);
  EXPECT_EQ(web.allocated_cpus, CpuSet::parse("0-3,8"));
  EXPECT_EQ(web.labels.at("app"), "web");
  ASSERT_EQ(web.containers.size(), 2U) << "the init container that ends is not among them";
  EXPECT_EQ(web.containers[0].id, "abc123");
  EXPECT_TRUE(web.containers[0].running);
  EXPECT_EQ(web.containers[0].requests.cpu, 1500_mcpu);
  EXPECT_EQ(web.containers[0].limits.memory, 1536_MiB);
  EXPECT_TRUE(web.containers[1].sidecar);
  EXPECT_EQ(web.containers[1].id, "def456");
  EXPECT_FALSE(web.containers[1].running);
  EXPECT_EQ(web.containers[1].limits.cpu, std::nullopt);
}

TEST(PodList, ReadsBatchResourcesAndTerminatingPods) {
  const auto crunch = good(kPods).pods.at(1);
  EXPECT_TRUE(crunch.terminating);
  EXPECT_EQ(crunch.kube_qos, KubeQos::besteffort) << "extended resources do not count";
  EXPECT_EQ(crunch.priority_class, PriorityClass::batch) << "the label wins over the number";
  EXPECT_EQ(crunch.containers.at(0).requests.batch_cpu, 1000_mcpu);
  EXPECT_EQ(crunch.containers.at(0).limits.batch_cpu, 4000_mcpu);
  EXPECT_EQ(crunch.containers.at(0).limits.batch_memory, Bytes(4'000'000'000));
  EXPECT_EQ(crunch.containers.at(0).id, "");
}

/// The spec of a resize in place may ask for more than the node has.

TEST(PodList, JsonGivesTheSame) {
  const auto list = good(R"({"kind":"PodList","items":[{"metadata":{"name":"a","uid":"u-1"},
    "spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":2,"memory":"1Gi"}}}]},
    "status":{"phase":"Succeeded"}}]})");
  ASSERT_EQ(list.pods.size(), 1U);
  EXPECT_EQ(list.pods[0].containers.at(0).limits.cpu, 2000_mcpu);
  EXPECT_EQ(list.pods[0].kube_qos, KubeQos::guaranteed) << "a limit is also the request";
  EXPECT_FALSE(is_active(list.pods[0]));
}

TEST(PodList, EmptyListsAreValid) {
  for (const auto* text :
       {R"({"kind":"PodList","items":null})", R"({"items":[]})", "kind: List\nitems:\n", "kind: PodList\n"}) {
    EXPECT_TRUE(good(text).pods.empty()) << text;
  }
}

TEST(PodList, TextsThatAreNotAListAreProblems) {
  for (const auto* text : {"", "\n", "{}", "[]", "5", "kind: Pod\n", "kind: PodList\nitems: {a: b}\n",
                           "items: 5\n", "{\"items\": [", "items: [}", "kind: Node\nitems: []\n"}) {
    EXPECT_FALSE(pods::parse_pod_list(text, "f").problems.empty()) << text;
  }
  for (const auto& text : test::malformed_texts()) {
    EXPECT_FALSE(pods::parse_pod_list(text, "f").problems.empty()) << text.substr(0, 40);
  }
  EXPECT_FALSE(pods::parse_pod_list("{" + std::string(5'000'000, '['), "f").problems.empty());
}

TEST(PodList, KubernetesQosIsComputedWhenTheStatusLacksIt) {
  struct Case {
    const char* spec;
    KubeQos qos;
  };
  const std::vector<Case> cases = {
      {"containers: [{name: a}]", KubeQos::besteffort},
      {"containers: [{name: a, resources: {limits: {cpu: 0, memory: \"0\"}}}]", KubeQos::besteffort},
      {"containers: [{name: a, resources: {requests: {cpu: 1m}}}]", KubeQos::burstable},
      {"containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}]", KubeQos::guaranteed},
      {"containers: [{name: a, resources: {limits: {cpu: 1}}}]", KubeQos::burstable},
      {"containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m}}}]",
       KubeQos::burstable},
      {"containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1000m, memory: "
       "1024Mi}}}]",
       KubeQos::guaranteed},
      {"containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}, {name: b}]", KubeQos::burstable},
      {"containers: [{name: a}], initContainers: [{name: i, resources: {requests: {cpu: 1}}}]",
       KubeQos::burstable},
      {"containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}], initContainers: [{name: i}]",
       KubeQos::burstable},
  };
  for (const auto& c : cases) {
    const auto list = one("uid: u", c.spec, "phase: Running");
    ASSERT_EQ(list.pods.size(), 1U) << c.spec;
    EXPECT_EQ(list.pods[0].kube_qos, c.qos) << c.spec;
  }
}

TEST(PodList, AStaticPodsAgeComesFromItsStatus) {
  const auto status = R"(qosClass: BestEffort, startTime: "2026-01-02T00:00:00Z")";
  EXPECT_EQ(one("uid: u, creationTimestamp: null", "", status).pods.at(0).created_unix_seconds, 1767312000);
  EXPECT_EQ(
      one("uid: u, creationTimestamp: \"2026-01-01T00:00:00Z\"", "", status).pods.at(0).created_unix_seconds,
      1767225600);
  const auto neither = one("uid: u", "", "qosClass: BestEffort");
  EXPECT_EQ(neither.pods.at(0).created_unix_seconds, std::nullopt);
  EXPECT_TRUE(neither.notices.empty());
}

TEST(PodList, AnUnreadableAgeIsUnknownWithANotice) {
  for (const auto* text : {"yesterday", "2026-01-01", "1767225600", "\"2026-13-01T00:00:00Z\""}) {
    const auto list = one("uid: u, creationTimestamp: " + std::string(text), "", "qosClass: BestEffort");
    ASSERT_EQ(list.pods.size(), 1U) << text;
    EXPECT_EQ(list.pods[0].created_unix_seconds, std::nullopt) << text;
    EXPECT_EQ(list.notices.size(), 1U) << text;
  }
}

TEST(PodList, OnlyTheUnreadablePodIsLeftOut) {
  const std::vector<std::string> bad = {
      "5",
      "{metadata: {name: p}}",
      "{metadata: {uid: ../../etc}}",
      "{metadata: {uid: u}}",
      "{metadata: {uid: u}, spec: {containers: 5}}",
      "{metadata: {uid: u}, spec: {containers: [{name: a, resources: {limits: {cpu: many}}}]}}",
      "{metadata: {uid: u}, spec: {containers: [{name: a, resources: {limits: {cpu: -1}}}]}}",
      "{metadata: {uid: u}, spec: {containers: [{name: a, resources: {limits: {memory: "
      "99999999999999999999}}}]}}",
      "{metadata: {uid: u}, spec: {containers: [{name: a, resources: {limits: {memory: 1e30}}}]}}",
      "{metadata: {uid: u}, spec: {containers: [{name: a, resources: {limits: {cpu: [1]}}}]}}",
      "{metadata: {uid: u}, spec: {containers: [{name: a, resources: {requests: 5}}]}}",
      "{metadata: {uid: u}, spec: {containers: [{resources: {}}]}}",
      "{metadata: {uid: u}, spec: {containers: [{name: a}], priority: 99999999999}}",
      "{metadata: {uid: u}, spec: {containers: [{name: a}], initContainers: x}}",
  };
  for (const auto& item : bad) {
    const auto list = good("items: [" + item + ", {metadata: {uid: ok}, spec: {containers: [{name: a}]}}]");
    ASSERT_EQ(list.pods.size(), 1U) << item;
    EXPECT_EQ(list.pods[0].uid, "ok");
    EXPECT_EQ(list.notices.size(), 1U) << item;
  }
}

}  // namespace
