// Tests the annotation koordinator.sh/blkioQOS, and the volumes that it may name.
#include <gtest/gtest.h>

#include "agent/pods/pod_list.h"

namespace evenkeel {
namespace {

pods::PodList with(const std::string& annotation) {
  return pods::parse_pod_list(
      "items: [{metadata: {uid: u, name: p, annotations: {koordinator.sh/blkioQOS: '" + annotation +
          "'}}, spec: {volumes: [{name: data, persistentVolumeClaim: {claimName: c}}, {name: tmp, emptyDir: "
          "{}}, {name: own, ephemeral: {}}]}, status: {qosClass: Burstable}}]",
      "f");
}
Pod only_pod(const pods::PodList& list) {
  EXPECT_EQ(list.pods.size(), 1U);
  return list.pods.empty() ? Pod{} : list.pods[0];
}

TEST(PodBlkio, IsReadWithTheVolumesOfThePod) {
  const auto pod =
      only_pod(with(R"({"blocks":[{"name":"data","type":"podvolume","ioCfg":{"readBPS":1048576}}]})"));
  ASSERT_EQ(pod.blocks.size(), 1U);
  EXPECT_EQ(pod.blocks[0], (Block{"data", BlockType::pod_volume, {.read_bps = Bytes(1048576)}}));
  EXPECT_EQ(pod.volumes, (std::vector<PodVolume>{{"data", true}, {"tmp", false}, {"own", true}}));
}

TEST(PodBlkio, EmptyOrDisabledSettingsAreNoLimit) {
  for (const char* nothing : {"", "{}", R"({"blocks":[]})", R"({"blocks":null})",
                              R"({"enable":false,"blocks":[{"name":"/dev/sda"}]})"}) {
    const auto list = with(nothing);
    EXPECT_TRUE(only_pod(list).blocks.empty()) << nothing;
    EXPECT_TRUE(only_pod(list).volumes.empty()) << nothing;
    EXPECT_TRUE(list.notices.empty()) << nothing << list.notices[0];
  }
}

TEST(PodBlkio, OfAPodWithVeryManyVolumesNothingIsKept) {
  const auto with_volumes = [](int count) {
    std::string volumes = "{name: v0, emptyDir: {}}";
    for (int i = 1; i < count; ++i) volumes += ", {name: v" + std::to_string(i) + ", emptyDir: {}}";
    return pods::parse_pod_list(
        "items: [{metadata: {uid: u, name: p, annotations: {koordinator.sh/blkioQOS: "
        "'{\"blocks\":[{\"name\":\"v1\",\"type\":\"podvolume\"}]}'}}, spec: {volumes: [" +
            volumes + "]}, status: {qosClass: Burstable}}]",
        "f");
  };
  EXPECT_EQ(only_pod(with_volumes(256)).volumes.size(), 256U);
  const auto list = with_volumes(257);
  EXPECT_TRUE(only_pod(list).volumes.empty());
  EXPECT_TRUE(only_pod(list).blocks.empty());
  ASSERT_EQ(list.notices.size(), 1U);
  EXPECT_NE(list.notices[0].find("pod p: annotation ignored"), std::string::npos) << list.notices[0];
  EXPECT_NE(list.notices[0].find("the pod has 257 volumes; legal: at most 256"), std::string::npos)
      << list.notices[0];
}

TEST(PodBlkio, IsReadCompletelyOrNotAtAll) {
  std::string many = R"({"blocks":[{"name":"a"})";
  for (int i = 0; i < 64; ++i) many += R"(,{"name":"a"})";
  for (const std::string& bad :
       {std::string("{"), std::string("[]"), std::string(R"({"blocks":{}})"),
        std::string(R"({"blocks":[{"type":"device"}]})"),
        std::string(R"({"blocks":[{"name":"a","type":"x"}]})"),
        std::string(R"({"blocks":[{"name":"a","ioCfg":{"readBPS":-1}}]})"),
        std::string(R"({"blocks":[{"name":"a"},{"name":"b","ioCfg":{"ioWeightPercent":101}}]})"),
        many + "]}"}) {
    const auto list = with(bad);
    EXPECT_TRUE(only_pod(list).blocks.empty()) << bad;
    ASSERT_EQ(list.notices.size(), 1U) << bad;
    EXPECT_NE(list.notices[0].find("koordinator.sh/blkioQOS"), std::string::npos) << list.notices[0];
  }
}

}  // namespace
}  // namespace evenkeel
