// Which cgroup directory a pod's own words may name.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/scenes/one_pod.h"

using namespace evenkeel;
using namespace evenkeel::literals;
using test::one;

namespace {

TEST(PodIdentity, StaticPodsAreIdentifiedByTheirManifestHash) {
  const auto mirror = one(
      "uid: 5b4c, annotations: {kubernetes.io/config.source: file, kubernetes.io/config.mirror: 7e95e3b1}",
      "containers: [{name: a}]", "");
  EXPECT_EQ(mirror.pods.at(0).uid, "7e95e3b1");
  const auto own = one(
      "uid: 7e95e3b1, annotations: {kubernetes.io/config.source: file, kubernetes.io/config.hash: 7e95e3b1}",
      "containers: [{name: a}]", "");
  EXPECT_EQ(own.pods.at(0).uid, "7e95e3b1");
  EXPECT_EQ(one("uid: a_b_c", "containers: [{name: a}]", "").pods.at(0).uid, "a-b-c");
}

TEST(PodIdentity, APodCannotSpeakForAnotherOne) {
  for (const std::string key : {"kubernetes.io/config.mirror", "kubernetes.io/config.hash"}) {
    const auto api = one("uid: own, annotations: {kubernetes.io/config.source: api, " + key + ": victim}", "",
                         "qosClass: BestEffort");
    EXPECT_EQ(api.pods.at(0).uid, "own") << key;
    EXPECT_EQ(one("uid: own, annotations: {" + key + ": victim}", "", "qosClass: BestEffort").pods.at(0).uid,
              "own");
    const std::string json =
        R"({"kind":"PodList","items":[{"metadata":{"name":"n","namespace":"s","uid":"own",)"
        R"("annotations":{"kubernetes.io/config.source":"file",")" +
        key + R"(":"victim"}},"status":{"qosClass":"BestEffort"}}]})";
    const auto server = pods::parse_pod_list(json, "api", pods::Source::server);
    EXPECT_EQ(server.pods.at(0).uid, "own") << key << ": a server's annotations are its tenants'";
  }
}

const std::string kHash = "7e95e3b1c4d5f60718293a4b5c6d7e8f";
constexpr const char* kNode = R"({"apiVersion":"v1","kind":"Node","name":"n","uid":"u","controller":true})";

/// A best-effort pod of a server, with these annotations (without "kubernetes.io/config.") and this owner.
Pod listed(pods::Source source, const std::vector<std::pair<std::string, std::string>>& annotations,
           const std::string& owner = {}) {
  std::string all;
  for (const auto& [key, value] : annotations)
    all += (all.empty() ? "\"" : ",\"") + ("kubernetes.io/config." + key) + "\":\"" + value + '"';
  const auto list = pods::parse_pod_list(
      R"({"kind":"PodList","items":[{"metadata":{"name":"n","namespace":"s","uid":"own","annotations":{)" +
          all + R"(},"ownerReferences":[)" + owner + R"(]},"status":{"qosClass":"BestEffort"}}]})",
      "pods", source);
  return list.pods.empty() ? Pod{} : list.pods.front();
}

TEST(PodIdentity, FromTheKubeletTheUidIsTheUid) {
  const auto kubelet = [](const std::string& source) {
    return listed(pods::Source::kubelet, {{"source", source}, {"hash", kHash}, {"mirror", kHash}}, kNode);
  };
  for (const std::string source : {"file", "http"}) {
    EXPECT_EQ(kubelet(source).uid, "own") << source;
    EXPECT_TRUE(kubelet(source).is_static) << source;
  }
  EXPECT_EQ(kubelet("api").uid, "own");
  EXPECT_FALSE(kubelet("api").is_static) << "the kubelet says that it is none";
}

TEST(PodIdentity, FromTheApiServerAMirrorPodNamesAStaticPod) {
  const auto mirror =
      listed(pods::Source::server, {{"source", "file"}, {"hash", kHash}, {"mirror", kHash}}, kNode);
  EXPECT_EQ(mirror.uid, kHash);
  EXPECT_TRUE(mirror.is_static);
}

TEST(PodIdentity, APodOfTheApiCannotCallItselfStatic) {
  const std::string other(32, '0'), uuid = "6ed2c236-197b-4932-855d-95c089e6de14";
  const auto refused = [](const std::vector<std::pair<std::string, std::string>>& annotations,
                          const std::string& owner, const char* why) {
    const auto pod = listed(pods::Source::server, annotations, owner);
    EXPECT_EQ(pod.uid, "own") << why;
    EXPECT_FALSE(pod.is_static) << why;
  };
  refused({{"source", "file"}}, kNode, "any tenant writes that into a batch pod");
  refused({{"source", "file"}, {"hash", kHash}}, kNode, "a pod that runs can have it");
  refused({{"source", "file"}, {"mirror", kHash}}, kNode, "the kubelet writes both");
  refused({{"source", "file"}, {"hash", other}, {"mirror", kHash}}, kNode,
          "the kubelet writes the same twice");
  refused({{"source", "file"}, {"hash", uuid}, {"mirror", uuid}}, kNode, "that is a pod of the API");
  refused({{"source", "file"}, {"hash", kHash}, {"mirror", kHash}}, "", "a mirror pod belongs to its Node");
  refused({{"source", "file"}, {"hash", kHash}, {"mirror", kHash}}, R"({"kind":"Job","name":"j","uid":"u"})",
          "this one belongs to something else");
}

TEST(PodIdentity, OfTwoPodsWithOneUidNeitherIsServed) {
  const auto list = pods::parse_pod_list(
      "items:\n- {metadata: {name: a, uid: u}, status: {qosClass: BestEffort}}\n"
      "- {metadata: {name: b, uid: v}, status: {qosClass: BestEffort}}\n"
      "- {metadata: {name: c, uid: u}, status: {qosClass: BestEffort}}\n",
      "f");
  ASSERT_EQ(list.pods.size(), 1U);
  EXPECT_EQ(list.pods[0].name, "b");
  int said = 0;
  for (const auto& notice : list.notices)
    said += notice.find("another one has its uid u") != std::string::npos;
  EXPECT_EQ(said, 2) << "both are named";
}

}  // namespace
