// Tests which parts of a v1 Pod decide whether and in which order it is evicted.
#include <gtest/gtest.h>

#include "agent/pods/pod_list.h"
#include "qos/model/nodeslo.h"

namespace evenkeel {
namespace {

using std::chrono::seconds;

struct Read {
  Pod pod{};
  std::vector<std::string> notices{};
};
Read read_one(const std::string& metadata, const std::string& spec = "") {
  const auto list = pods::parse_pod_list(
      R"({"kind":"PodList","items":[{"metadata":{"name":"p","namespace":"ns","uid":"u-1")" +
          (metadata.empty() ? "" : "," + metadata) + R"(},"spec":{"containers":[{"name":"main"}])" +
          (spec.empty() ? "" : "," + spec) + "}}]}",
      "pods", pods::Source::server);
  EXPECT_TRUE(list.problems.empty());
  return list.pods.empty() ? Read{} : Read{list.pods.front(), list.notices};
}
Read labelled(const std::string& labels) { return read_one(R"("labels":{)" + labels + "}"); }
Read annotated(const std::string& annotations) { return read_one(R"("annotations":{)" + annotations + "}"); }

TEST(PodEviction, TheControllerIsTheOwner) {
  const auto read =
      read_one(R"("ownerReferences":[{"uid":"a","kind":"Helper"},{"uid":"b","kind":"Job","controller":true},)"
               R"({"uid":"c","kind":"DaemonSet"}])");
  EXPECT_EQ(read.pod.eviction.owner_uid, "b");
  EXPECT_FALSE(read.pod.eviction.daemon);
  EXPECT_EQ(read_one(R"("ownerReferences":[{"uid":"a"},{"uid":"b"}])").pod.eviction.owner_uid, "a");
  EXPECT_TRUE(read_one(R"("ownerReferences":[{"uid":"d","kind":"DaemonSet","controller":true}])")
                  .pod.eviction.daemon);
  EXPECT_FALSE(read_one(R"("ownerReferences":[{"uid":"d","kind":"DaemonSet"}])").pod.eviction.daemon)
      << "the DaemonSet does not know it";
  for (const char* nothing :
       {"", R"("ownerReferences":null)", R"("ownerReferences":[])", R"("ownerReferences":5)"})
    EXPECT_EQ(read_one(nothing).pod.eviction.owner_uid, "") << nothing;
}

TEST(PodEviction, TheGracePeriodIsWholeSeconds) {
  EXPECT_EQ(read_one("").pod.eviction.grace, std::nullopt);
  const auto grace = [](const std::string& text) {
    return read_one("", R"("terminationGracePeriodSeconds":)" + text).pod.eviction.grace;
  };
  EXPECT_EQ(grace("45"), seconds(45));
  EXPECT_EQ(grace("0"), seconds(0));
  EXPECT_EQ(grace("99999999999"), seconds(300)) << "so long nobody else is evicted";
  for (const char* bad : {"-1", "1.5", "\"x\"", "[]", "null"}) EXPECT_EQ(grace(bad), std::nullopt) << bad;
}

TEST(PodEviction, LabelsAndAnnotationsThatOrderEvictions) {
  const auto labels = labelled(R"("koordinator.sh/eviction-enabled":"true","koordinator.sh/priority":"-20")");
  EXPECT_TRUE(labels.pod.eviction.enabled);
  EXPECT_EQ(labels.pod.eviction.sub_priority, -20);
  for (const char* other : {"True", "1", "", "false"})
    EXPECT_FALSE(
        labelled(R"("koordinator.sh/eviction-enabled":")" + std::string(other) + '"').pod.eviction.enabled)
        << other;
  EXPECT_EQ(labelled(R"("koordinator.sh/priority":"high")").pod.eviction.sub_priority, std::nullopt);
  EXPECT_EQ(annotated(R"("koordinator.sh/eviction-priority":"-5")").pod.eviction.priority, -5);
  const auto bad = annotated(R"("koordinator.sh/eviction-priority":"99999999999")");
  EXPECT_EQ(bad.pod.eviction.priority, 0);
  ASSERT_EQ(bad.notices.size(), 1U);
  EXPECT_NE(bad.notices.front().find("legal: a 32-bit number; 0 is used"), std::string::npos);
}

TEST(PodEviction, ReadsTheGangMarksOfThreeSchedulers) {
  const auto koordinator = annotated(
      R"("gang.scheduling.koordinator.sh/name":"g","gang.scheduling.koordinator.sh/min-available":"4",)"
      R"("gang.scheduling.koordinator.sh/total-number":"6")");
  EXPECT_EQ(koordinator.pod.eviction.gang, (Gang{"ns/g", 4, 6}));
  EXPECT_EQ(labelled(R"("scheduling.x-k8s.io/pod-group":"g")").pod.eviction.gang, (Gang{"ns/g", {}, {}}));
  EXPECT_EQ(labelled(R"("pod-group.scheduling.sigs.k8s.io/name":"g",)"
                     R"("pod-group.scheduling.sigs.k8s.io/min-available":"2")")
                .pod.eviction.gang,
            (Gang{"ns/g", 2, {}}));
  EXPECT_EQ(labelled(R"("pod-group.scheduling.sigs.k8s.io":"g")").pod.eviction.gang.name, "ns/g");
  EXPECT_EQ(annotated(R"("scheduling.k8s.io/group-name":"g","scheduling.volcano.sh/group-min-member":"3")")
                .pod.eviction.gang,
            (Gang{"ns/g", 3, {}}));
  for (const char* bad : {"0", "-1", "x", ""})
    EXPECT_EQ(annotated(R"("gang.scheduling.koordinator.sh/name":"g",)"
                        R"("gang.scheduling.koordinator.sh/min-available":")" +
                        std::string(bad) + '"')
                  .pod.eviction.gang,
              (Gang{"ns/g", {}, {}}))
        << bad;
  EXPECT_EQ(read_one("").pod.eviction.gang, Gang{});
  EXPECT_EQ(annotated(R"("gang.scheduling.koordinator.sh/name":"")").pod.eviction.gang, Gang{});
}

TEST(PodEviction, ReadsTheLentAmountsOfTheNode) {
  const auto node = [](const std::string& amounts) {
    return pods::parse_node(R"({"status":{"allocatable":{)" + amounts + "}}}", "node");
  };
  const auto good = node(R"("cpu":"8","kubernetes.io/batch-cpu":"25000","kubernetes.io/mid-memory":"1Gi",)"
                         R"("kubernetes.io/batch-memory":"0")");
  EXPECT_EQ(good.node.lent.batch_cpu, MilliCpu(25000));
  EXPECT_EQ(good.node.lent.batch_memory, Bytes(0)) << "zero is a figure";
  EXPECT_EQ(good.node.lent.mid_memory, Bytes(std::int64_t{1} << 30));
  EXPECT_EQ(good.node.lent.mid_cpu, std::nullopt);
  EXPECT_EQ(good.node.lent.cpu, std::nullopt);
  EXPECT_TRUE(good.notices.empty());
  const auto bad = node(R"("kubernetes.io/batch-cpu":"-5","kubernetes.io/batch-memory":"5")");
  EXPECT_EQ(bad.node.lent, Resources{});
  ASSERT_EQ(bad.notices.size(), 1U);
  EXPECT_NE(bad.notices.front().find("batch and mid are not known"), std::string::npos);
}

}  // namespace
}  // namespace evenkeel
