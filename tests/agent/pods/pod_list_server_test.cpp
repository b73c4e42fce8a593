// Tests pod lists from servers: real answers, large ones, and skipped members.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <regex>

#include "agent/pods/pod_list.h"
#include "tests/support/fakes/kubelet_texts.h"
#include "tests/support/malformed.h"
#include "tests/support/process.h"

using namespace evenkeel;
using namespace evenkeel::literals;

namespace {

pods::PodList good(std::string_view text) {
  auto list = pods::parse_pod_list(text, "f");
  for (const auto& problem : list.problems) ADD_FAILURE() << problem.text();
  return list;
}

TEST(PodList, ReadsARealKubeletAnswer) {
  const auto list = pods::parse_pod_list(test::real_pods(), "kubelet", pods::Source::server);
  ASSERT_TRUE(list.problems.empty()) << list.problems.front().text();
  EXPECT_TRUE(list.notices.empty());
  ASSERT_EQ(list.pods.size(), 3U);
  const auto& burstable = list.pods[0];
  EXPECT_EQ(burstable.name, "bu1");
  EXPECT_EQ(burstable.uid, "07c5ca87-3cee-419b-8d73-19bc1d676c1c");
  ASSERT_EQ(burstable.containers.size(), 2U);
  EXPECT_EQ(burstable.containers[0].requests.cpu, 100_mcpu);
  EXPECT_EQ(burstable.containers[0].limits.memory, 256_MiB);
  EXPECT_EQ(burstable.containers[1].limits.cpu, std::nullopt);
  EXPECT_TRUE(burstable.containers[1].running);
  EXPECT_EQ(burstable.containers[1].id.size(), 64U);
  EXPECT_EQ(burstable.annotations.count("kubectl.kubernetes.io/last-applied-configuration"), 0U);
  const auto& batch = list.pods[1];
  EXPECT_EQ(batch.containers.at(0).requests.batch_cpu, 1000_mcpu) << "sent as 1k";
  EXPECT_EQ(batch.kube_qos, KubeQos::besteffort);
  EXPECT_EQ(list.pods[2].kube_qos, KubeQos::guaranteed);
}

TEST(PodList, AServersOrderIsIgnored) {
  const auto list = pods::parse_pod_list(
      test::pod_list_json({{.uid = "b", .container_ids = {"2"}}, {.uid = "a", .container_ids = {""}}}),
      "kubelet", pods::Source::server);
  ASSERT_EQ(list.pods.size(), 2U);
  EXPECT_EQ(list.pods[0].uid, "a");
  EXPECT_EQ(list.pods[0].containers.at(0).id, "") << "not started yet";
  EXPECT_TRUE(pods::parse_pod_list(test::pod_list_json({}), "kubelet", pods::Source::server).problems.empty())
      << "items: null";
  EXPECT_FALSE(pods::parse_pod_list("kind: PodList\n", "kubelet", pods::Source::server).problems.empty())
      << "YAML is for people";
}

constexpr const char* kFullPod = R"({"kind":"PodList","items":[{
  "metadata":{"name":"n","namespace":"s","uid":"u","labels":{"koordinator.sh/qosClass":"LS"},"creationTimestamp":"2026-01-01T00:00:00Z",
    "annotations":{"evenkeel.io/hands-off":"true"},"deletionTimestamp":"2026-01-01T00:00:00Z","generation":3},
  "spec":{"priority":9500,"overhead":{"cpu":"250m"},"nodeName":"x",
    "resources":{"requests":{"cpu":"3"},"limits":{"cpu":"4","memory":"3Gi"}},
    "initContainers":[{"name":"i","restartPolicy":"Always","resources":{"requests":{"cpu":"1"}}},
                      {"name":"j","resources":{"limits":{"cpu":"2","memory":"1Gi"}}}],
    "containers":[{"name":"c","image":"y","resources":{"limits":{"memory":"1Gi","kubernetes.io/mid-cpu":"500"}}}]},
  "status":{"phase":"Running","startTime":"2026-01-01T00:00:01Z","hostIP":"z","resources":{"limits":{"memory":"2Gi"}},
    "initContainerStatuses":[{"name":"i","containerID":"containerd://1","state":{"running":{"startedAt":"t"}}}],
    "containerStatuses":[{"name":"c","containerID":"containerd://2","state":{"waiting":{"reason":"r"}}}]}}]})";

/// Every member that read_pod() reads must be in the JSON key filter: the same pods, parsed without it, are
/// equal.
TEST(PodList, TheKeyFilterKeepsEveryMemberThatIsRead) {
  for (const auto& text : {test::real_pods(), std::string(kFullPod)}) {
    const auto list = pods::parse_pod_list(text, "kubelet");
    const auto parsed = document::parse_json(text, "kubelet");
    ASSERT_FALSE(list.pods.empty());
    std::vector<std::string> notices;
    for (std::size_t i = 0; i < list.pods.size(); ++i) {
      const auto whole =
          pods::read_pod(parsed.root.find("items")->list()->at(i), pods::Source::file, notices);
      ASSERT_TRUE(whole);
      EXPECT_TRUE(*whole == list.pods[i]) << list.pods[i].name;
    }
  }
}

/// The same for members missing in that text: each path that occurs in the readers.
TEST(PodList, TheKeyFilterHasEveryPathOfTheReaders) {
  const std::regex path(R"re(_at\(item, \{("[^}]*")\}\))re"), word(R"re("([^"]*)")re");
  int paths = 0;
  for (const char* file : {"/agent/pods/pod_read.cpp", "/agent/pods/pod_containers.cpp"}) {
    const std::string code = test::text_of_file(EVENKEEL_SOURCE_DIR + std::string(file));
    for (std::sregex_iterator it(code.begin(), code.end(), path), end; it != end; ++it, ++paths) {
      const std::string keys = (*it)[1];
      auto wanted = pods::pod_key_filter();
      for (std::sregex_iterator key(keys.begin(), keys.end(), word); key != end && !wanted.empty(); ++key) {
        const auto found = std::find_if(wanted.begin(), wanted.end(), [&](const document::KeyFilter& w) {
          return w.key == (*key)[1].str();
        });
        ASSERT_NE(found, wanted.end()) << file << ": " << keys;
        wanted = found->members;
      }
    }
  }
  EXPECT_GT(paths, 12);
}

TEST(PodList, FiveHundredPodsAreReadQuickly) {
  std::string item =
      R"({"metadata":{"name":"p","namespace":"n","uid":"UID","labels":{"a":"b"},"managedFields":[{"f":{"g":{"h":{}}}}]},)"
      R"("spec":{"containers":[)";
  for (int c = 0; c < 3; ++c) {
    item += std::string(c == 0 ? "" : ",") + R"({"name":"c)" + std::to_string(c) +
            R"(","image":"registry/image:1","resources":{"limits":{"cpu":"2","memory":"1Gi"}},"env":[)";
    for (int e = 0; e < 20; ++e)
      item += std::string(e == 0 ? "" : ",") + R"({"name":"E","value":"some value"})";
    item += "]}";
  }
  item += R"(]},"status":{"phase":"Running","qosClass":"Burstable"}})";
  std::string text = R"({"kind":"PodList","items":[)";
  for (int i = 0; i < 500; ++i) {
    auto pod = item;
    pod.replace(pod.find("UID"), 3, std::to_string(i));
    text += (i == 0 ? "" : ",") + pod;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto list = good(text + "]}");
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(list.pods.size(), 500U);
  RecordProperty("milliseconds", static_cast<int>(took / std::chrono::milliseconds(1)));
  EXPECT_LT(took, std::chrono::seconds(2)) << "an order of magnitude above what a loaded machine needs";
}

}  // namespace
