// What a tenant may write into a pod is bounded: the pod that says too much is left out, or its annotation
// is, with a reason; the others are served.
#include <gtest/gtest.h>

#include <string>

#include "agent/pods/pod_list.h"

namespace evenkeel::pods {
namespace {

/// A running pod with these members of metadata, and so many containers.
std::string pod(const std::string& uid, const std::string& metadata, int containers = 1) {
  std::string all;
  for (int i = 0; i < containers; ++i)
    all += (i > 0 ? ",{" : "{") + ("\"name\":\"c" + std::to_string(i) + "\"}");
  return R"({"metadata":{"uid":")" + uid + R"(",)" + metadata + R"(},"spec":{"containers":[)" + all +
         R"(]},"status":{"phase":"Running","qosClass":"BestEffort"}})";
}
std::string many(const char* member, int count) {
  std::string out = std::string("\"") + member + "\":{";
  for (int i = 0; i < count; ++i) out += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + R"(":"v")";
  return out + "}";
}
PodList read(const std::string& first) {
  const auto other = pod("u2", R"("name":"other","namespace":"b")");
  return parse_pod_list(R"({"kind":"PodList","items":[)" + first + "," + other + "]}", "pods",
                        Source::server);
}
/// The notice about the first pod, which is left out, while the other one is served.
std::string refused(const std::string& first) {
  const auto list = read(first);
  EXPECT_TRUE(list.problems.empty());
  EXPECT_EQ(list.pods.size(), 1U);
  return list.notices.size() == 1 ? list.notices.front() : std::to_string(list.notices.size()) + " notices";
}
const std::string kNames = R"("name":"a","namespace":"n",)";

TEST(PodBounds, APodWithTooManyLabelsIsLeftOutByItself) {
  EXPECT_EQ(refused(pod("u1", kNames + many("labels", 257))),
            "pod n/a is left out: it has 257 labels, 256 are the most");
  EXPECT_EQ(read(pod("u1", kNames + many("labels", 256))).pods.size(), 2U);
}

TEST(PodBounds, APodWithTooManyContainersIsLeftOutByItself) {
  EXPECT_EQ(refused(pod("u1", kNames + many("labels", 1), 257)),
            "pod n/a is left out: it has 257 containers, 256 are the most");
}

TEST(PodBounds, OnlyAnnotationsThatAreReadAreKept) {
  const auto list = read(pod("u1", kNames + R"("annotations":{"example.com/x":"1","evilkoordinator.sh/x":"1",
    "koordinator.sh/x":"1","node.koordinator.sh/y":"1","evenkeel.io/z":"1","kubectl.kubernetes.io/last-applied-configuration":"1",
    "kubernetes.io/config.source":"api","scheduling.volcano.sh/group-name":"g"})"));
  ASSERT_EQ(list.pods.size(), 2U);
  std::string keys;
  for (const auto& [key, value] : list.pods[0].annotations) keys += key + ' ';
  EXPECT_EQ(keys,
            "evenkeel.io/z koordinator.sh/x kubernetes.io/config.source node.koordinator.sh/y "
            "scheduling.volcano.sh/group-name ");
}

TEST(PodBounds, AnAnnotationThatIsTooLongIsLeftOutAlone) {
  const auto with = [](std::size_t bytes) {
    return read(pod("u1", kNames + R"("annotations":{"koordinator.sh/cpuQOS":")" + std::string(bytes, 'x') +
                              R"(","koordinator.sh/x":"1"})"));
  };
  const auto list = with(16385);
  ASSERT_EQ(list.pods.size(), 2U);
  EXPECT_EQ(list.pods[0].annotations.size(), 1U);
  ASSERT_EQ(list.notices.size(), 1U);
  EXPECT_EQ(
      list.notices[0],
      "pod n/a: annotation koordinator.sh/cpuQOS is left out: it has 16385 bytes; at most 16384 are read");
}

TEST(PodBounds, NamesThatCannotBePartOfAUrlAreRefused) {
  for (const char* name : {"a/../b", "A", "a?x=1", "-a", "a.", "a\\nb", "a b", "%2e"})
    EXPECT_EQ(refused(pod("u1", std::string(R"("namespace":"n","name":")") + name + '"')),
              "pod u1 is left out: metadata.name is not a DNS name (RFC 1123)")
        << name;
  EXPECT_EQ(refused(pod("u1", R"("name":"a","namespace":"n.n")")),
            "pod u1 is left out: metadata.namespace is not a DNS label (RFC 1123)");
  EXPECT_EQ(read(pod("u1", R"("name":"a-1.b","namespace":"kube-system")")).pods.size(), 2U);
}

}  // namespace
}  // namespace evenkeel::pods
