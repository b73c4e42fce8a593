// Which cgroup directory a pod's own words may name.
#include <gtest/gtest.h>

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

TEST(PodIdentity, FromAServerAManifestHashNamesAStaticPod) {
  const auto uid_with = [](const std::string& source, const std::string& hash) {
    return pods::parse_pod_list(
               R"({"kind":"PodList","items":[{"metadata":{"name":"n","namespace":"s","uid":"own","annotations":)"
               R"({"kubernetes.io/config.source":")" +
                   source + R"(","kubernetes.io/config.mirror":")" + hash +
                   R"("}},"status":{"qosClass":"BestEffort"}}]})",
               "api", pods::Source::server)
        .pods.at(0)
        .uid;
  };
  const std::string hash = "7e95e3b1c4d5f60718293a4b5c6d7e8f";
  EXPECT_EQ(uid_with("file", hash), hash);
  EXPECT_EQ(uid_with("api", hash), "own") << "the kubelet says that it is none";
  EXPECT_EQ(uid_with("file", "6ed2c236-197b-4932-855d-95c089e6de14"), "own") << "a pod of the API";
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
