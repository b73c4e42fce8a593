// Tests the annotation node.koordinator.sh/resctrl.
#include <gtest/gtest.h>

#include "agent/pods/pod_list.h"

namespace evenkeel {
namespace {

pods::PodList with(const std::string& annotation) {
  return pods::parse_pod_list(
      "items: [{metadata: {uid: u, name: p, annotations: {node.koordinator.sh/resctrl: '" + annotation +
          "'}}, spec: {}, status: {qosClass: Burstable}}]",
      "f");
}
Pod only_pod(const pods::PodList& list) {
  EXPECT_EQ(list.pods.size(), 1U);
  return list.pods.empty() ? Pod{} : list.pods[0];
}

TEST(PodResctrl, IsReadCompletelyOrNotAtAll) {
  using Parts = std::vector<ResctrlPart>;
  EXPECT_EQ(
      only_pod(with(R"({"llc":{"schemata":{"range":[0,30]}},"mb":{"schemata":{"percent":20}}})")).resctrl,
      (Parts{{{}, Percent(0), Percent(30), {}}, {{}, {}, {}, Percent(20)}}));
  EXPECT_EQ(
      only_pod(
          with(
              R"({"llc":{"schemata":{"range":[0,30]},"schemataPerCache":[{"cacheID":1,"range":[50,100]}]}})"))
          .resctrl,
      (Parts{{{}, Percent(0), Percent(30), {}}, {1, Percent(50), Percent(100), {}}}));
  EXPECT_EQ(only_pod(with(R"({"mb":{"schemataPerCache":[{"cacheID":8,"percent":100}]},"other":1})")).resctrl,
            (Parts{{8, {}, {}, Percent(100)}}));
  for (const char* nothing : {"{}", R"({"llc":{}})", R"({"llc":{"schemata":{}}})", R"({"llc":null})"}) {
    EXPECT_TRUE(only_pod(with(nothing)).resctrl.empty()) << nothing;
    EXPECT_TRUE(with(nothing).notices.empty()) << nothing;
  }
  for (const char* bad :
       {"{", "[]", R"({"llc":[]})", R"({"llc":{"schemata":[0,30]}})",
        R"({"llc":{"schemata":{"range":[30,0]}}})", R"({"llc":{"schemata":{"range":[0]}}})",
        R"({"llc":{"schemata":{"range":[0,101]}}})", R"({"llc":{"schemata":{"range":["0",30]}}})",
        R"({"mb":{"schemata":{"percent":0}}})", R"({"mb":{"schemata":{"percent":"20"}}})",
        R"({"mb":{"schemataPerCache":[{"percent":20}]}})",
        R"({"mb":{"schemataPerCache":[{"cacheID":-1,"percent":20}]}})", R"({"mb":{"schemataPerCache":{}}})",
        R"({"llc":{"schemata":{"range":[0,30]}},"mb":{"schemata":{"percent":101}}})"}) {
    const auto list = with(bad);
    EXPECT_TRUE(only_pod(list).resctrl.empty()) << bad;
    ASSERT_EQ(list.notices.size(), 1U) << bad;
    EXPECT_NE(list.notices[0].find("the pod's class applies"), std::string::npos) << list.notices[0];
  }
}

}  // namespace
}  // namespace evenkeel
