// What a tenant may write into a pod is bounded: the pod that says too much is left out, or its annotation
// is, with a reason; the others are served.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>

#include "agent/pods/pod_list.h"
#include "tests/support/fakes/kubelet_texts.h"
#include "tests/support/resident.h"
#include "tests/support/rounds.h"

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

/// A pod with so many containers, and with so many statuses in the opposite order.
std::string with_statuses(int containers, int statuses) {
  std::string all = pod("u1", kNames + R"("labels":{})", containers);
  all.resize(all.rfind('}') - 1);  // leaves the status open
  all += R"(,"containerStatuses":[)";
  for (int i = statuses; i-- > 0;) all += R"({"name":"c)" + std::to_string(i) + (i > 0 ? "\"}," : "\"}");
  return all + "]}}";
}
/// The shortest of five readings, in CPU time: it does not matter what else the machine does.
std::clock_t reading_us(const std::string& first, std::size_t pods) {
  auto best = std::numeric_limits<std::clock_t>::max();
  for (int round = 0; round < 5; ++round) {
    const auto before = std::clock();
    EXPECT_EQ(read(first).pods.size(), pods);
    best = std::min(best, std::clock() - before);
  }
  return best;
}

TEST(PodBounds, APodOfManyThousandContainersIsRefusedBeforeItIsRead) {
  EXPECT_EQ(refused(with_statuses(3000, 3000)),
            "pod n/a is left out: it has 3000 containers, 256 are the most");
  const auto few = reading_us(with_statuses(3000, 3000), 1);
  const auto many = reading_us(with_statuses(12000, 12000), 1);
  std::printf("a pod of 3000 containers: %ld us, of 12000: %ld us\n", few, many);
  EXPECT_LT(many, 8 * few) << "four times the containers: something is quadratic";
}

TEST(PodBounds, InitContainersCountToo) {
  auto text = pod("u1", kNames + R"("labels":{})", 200);
  std::string more = R"("initContainers":[{"name":"i"})";
  for (int i = 1; i < 57; ++i) more += R"(,{"name":"i"})";
  text.insert(text.find(R"("containers")"), more + "],");
  EXPECT_EQ(refused(text), "pod n/a is left out: it has 257 containers, 256 are the most");
}

TEST(PodBounds, StatusesAreGoneThroughOnceHoweverManyContainersAskForTheirs) {
  constexpr int kStatuses = 20000;
  const auto one = reading_us(with_statuses(1, kStatuses), 2);
  const auto all = reading_us(with_statuses(256, kStatuses), 2);
  std::printf("20000 statuses, for 1 container: %ld us, for 256: %ld us\n", one, all);
  EXPECT_LT(all, 4 * one) << "each container goes through all statuses";
}

TEST(PodBounds, APodOfManyMebibytesIsLeftOutByItself) {
  const std::string image = std::string(5 << 20, 'x');
  EXPECT_EQ(refused(R"({"metadata":{)" + kNames + R"("uid":"u1"},"spec":{"containers":[{"image":")" + image +
                    R"("}]},"status":{}})"),
            "pod n/a is left out: it has more than 4 MiB");
}

TEST(PodBounds, APodMayHaveSoManyAnnotationsInAll) {
  std::string all = R"("annotations":{)";
  for (int i = 0; i < 300; ++i)
    all += (i > 0 ? ",\"" : "\"") + ("koordinator.sh/x" + std::to_string(i)) + R"(":"")";
  const auto many = read(pod("u1", kNames + all + "}"));
  ASSERT_EQ(many.pods.size(), 2U);
  EXPECT_EQ(many.pods[0].annotations.size(), 256U);
  EXPECT_EQ(many.notices,
            (std::vector<std::string>{"pod n/a: 44 annotations are left out: at most 256 with 65536 "
                                      "bytes in all are read"}));
  const std::string large(15000, 'x');
  all = R"("annotations":{)";
  for (int i = 0; i < 10; ++i)
    all += (i > 0 ? ",\"" : "\"") + ("koordinator.sh/x" + std::to_string(i)) + "\":\"" + large + "\"";
  EXPECT_EQ(read(pod("u1", kNames + all + "}")).pods[0].annotations.size(), 4U);
}

TEST(PodBounds, AServerMayListSoManyPods) {
  std::string items;
  for (int i = 0; i < 5001; ++i) items += (i > 0 ? "," : "") + pod("u" + std::to_string(i), R"("name":"a")");
  const auto list = parse_pod_list(R"({"items":[)" + items + "]}", "pods", Source::server);
  EXPECT_EQ(list.pods.size(), 5000U);
  EXPECT_EQ(list.notices, (std::vector<std::string>{"pods beyond 5000 are left out, ended ones first"}));
}

TEST(PodBounds, EndedPodsTakeNoRoomFromOthers) {
  std::vector<test::PodText> pods;
  for (int i = 0; i < 5000; ++i)
    pods.push_back({.uid = "ended-" + std::to_string(i), .phase = i % 2 > 0 ? "Succeeded" : "Failed"});
  pods.push_back({.uid = "service"});
  pods.push_back({.uid = "late", .phase = "Succeeded"});
  const auto list = parse_pod_list(test::pod_list_json(pods), "pods", Source::kubelet);
  EXPECT_EQ(list.pods.size(), 5000U);
  const auto has = [&](const std::string& uid) { return std::ranges::count(list.pods, uid, &Pod::uid) == 1; };
  EXPECT_TRUE(has("service"));
  EXPECT_TRUE(has("ended-0")) << "they are kept while there is room";
  EXPECT_FALSE(has("late"));
  EXPECT_EQ(list.notices, std::vector<std::string>{"pods beyond 5000 are left out, ended ones first"});
}

/// Each has as much as an API server stores of an object, in what is skipped and in what is kept.
TEST(PodBounds, ANodeOfHostilePodsFitsIntoTheAgentsMemory) {
  const long before = test::resident_kib();
  PodListReader reader;
  EXPECT_TRUE(reader.add(R"({"kind":"PodList","items":[)"));
  std::string text;
  for (int i = 0; i < 110; ++i) {
    std::string metadata = kNames + many("labels", 256) + R"(,"annotations":{)";
    for (int k = 0; k < 16; ++k)
      metadata += (k > 0 ? ",\"" : "\"") + ("koordinator.sh/x" + std::to_string(k)) + "\":\"" +
                  std::string(16000, 'x') + "\"";
    text = pod("u" + std::to_string(i),
               metadata + R"(},"managedFields":[")" + std::string(1 << 20, 'x') + "\"]", 256);
    EXPECT_TRUE(reader.add(text));
    EXPECT_TRUE(reader.add(i < 109 ? "," : "]}"));
  }
  const auto list = reader.end();
  EXPECT_TRUE(list.problems.empty());
  EXPECT_EQ(list.pods.size(), 110U);
#ifndef EVENKEEL_WATCHED
  EXPECT_LT(test::resident_kib() - before, 40 * 1024) << "KiB; the DaemonSet's limit is 128 MiB";
#else
  static_cast<void>(before);  // sanitizers delay freeing memory
#endif
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

TEST(PodBounds, ANoticeQuotesALongKeyInPart) {
  const auto list = read(pod("u1", kNames + R"("annotations":{"koordinator.sh/blkioQOS":"{\"unknown)" +
                                       std::string(15000, 'x') + R"(\":1}"})"));
  ASSERT_EQ(list.pods.size(), 2U);
  ASSERT_EQ(list.notices.size(), 1U);
  const std::string& notice = list.notices[0];
  EXPECT_LT(notice.size(), 1100U);
  EXPECT_TRUE(
      notice.starts_with("pod n/a: annotation ignored, no limits of its own: koordinator.sh/blkioQOS"))
      << notice;
  EXPECT_NE(notice.find("found an unknown key; legal: "), std::string::npos) << notice;
}

TEST(PodBounds, NamesThatCannotBePartOfAUrlAreRefused) {
  for (const char* name : {"a/../b", "A", "a?x=1", "-a", "a.", "a..b", "a\\nb", "a b", "%2e"})
    EXPECT_EQ(refused(pod("u1", std::string(R"("namespace":"n","name":")") + name + '"')),
              "pod u1 is left out: metadata.name is not a DNS name (RFC 1123)")
        << name;
  EXPECT_EQ(refused(pod("u1", R"("name":"a","namespace":"n.n")")),
            "pod u1 is left out: metadata.namespace is not a DNS label (RFC 1123)");
  EXPECT_EQ(read(pod("u1", R"("name":"a-1.b","namespace":"kube-system")")).pods.size(), 2U);
}

}  // namespace
}  // namespace evenkeel::pods
