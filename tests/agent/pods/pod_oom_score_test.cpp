// koordinator.sh/oom-score-adj and oom-score-adj-spec, as Koordinator reads them.
#include <gtest/gtest.h>

#include "agent/pods/pod_list.h"

namespace evenkeel {
namespace {

pods::PodList pod_with(const std::string& annotations) {
  return pods::parse_pod_list("items: [{metadata: {uid: u, name: p, annotations: {" + annotations +
                                  "}}, spec: {containers: [{name: a}, {name: b}]}, "
                                  "status: {qosClass: Burstable}}]",
                              "f");
}
using Value = std::optional<int>;
std::pair<Value, Value> values(const pods::PodList& list) {
  EXPECT_EQ(list.pods.size(), 1U);
  const auto& containers = list.pods.at(0).containers;
  return {containers.at(0).oom_score_adj, containers.at(1).oom_score_adj};
}

TEST(PodOomScore, OneForAllContainersAndOneForASingleOneThatComesFirst) {
  struct Case {
    const char* annotations;
    Value a, b;
  };
  const std::vector<Case> cases = {
      {"", {}, {}},
      {R"(koordinator.sh/oom-score-adj: "900")", 900, 900},
      {R"(koordinator.sh/oom-score-adj: "-1000")", -1000, -1000},
      {R"(koordinator.sh/oom-score-adj: "")", {}, {}},
      {R"(koordinator.sh/oom-score-adj-spec: '{"b":800}')", {}, 800},
      {R"(koordinator.sh/oom-score-adj: "900", koordinator.sh/oom-score-adj-spec: '{"b":800}')", 900, 800},
      {R"(koordinator.sh/oom-score-adj: "900", koordinator.sh/oom-score-adj-spec: '{"other":1}')", 900, 900},
      {R"(koordinator.sh/oom-score-adj: "900", koordinator.sh/oom-score-adj-spec: "")", 900, 900},
  };
  for (const auto& c : cases) {
    const auto list = pod_with(c.annotations);
    EXPECT_EQ(values(list), std::pair(c.a, c.b)) << c.annotations;
    EXPECT_TRUE(list.notices.empty()) << c.annotations;
  }
}

TEST(PodOomScore, WhatIsNotAWholeNumberInRangeIsIgnoredAndNamed) {
  const std::vector<std::string> bad = {
      R"(koordinator.sh/oom-score-adj: "high")",
      R"(koordinator.sh/oom-score-adj: "1.5")",
      R"(koordinator.sh/oom-score-adj: " 5")",
      R"(koordinator.sh/oom-score-adj: "99999999999999999999")",
      R"(koordinator.sh/oom-score-adj-spec: '{"a":"900"}')",
      R"(koordinator.sh/oom-score-adj-spec: '{"a":900,"b":1.5}')",
      R"(koordinator.sh/oom-score-adj-spec: '{"a":[900]}')",
      R"(koordinator.sh/oom-score-adj-spec: '900')",
      R"(koordinator.sh/oom-score-adj-spec: '[900]')",
      R"(koordinator.sh/oom-score-adj-spec: '{')",
      R"(koordinator.sh/oom-score-adj-spec: '{"a":1001}')",
  };
  for (const auto& annotations : bad) {
    const auto list = pod_with(annotations);
    EXPECT_EQ(values(list), std::pair(Value{}, Value{})) << annotations;
    ASSERT_EQ(list.notices.size(), 1U) << annotations;
    EXPECT_NE(list.notices[0].find("koordinator.sh/oom-score-adj"), std::string::npos) << list.notices[0];
  }
  const auto both = pod_with(R"(koordinator.sh/oom-score-adj: "-1001")");
  EXPECT_EQ(values(both), std::pair(Value{}, Value{}));
  EXPECT_EQ(both.notices.size(), 2U) << "one for each container";
}

TEST(PodOomScore, AnUnreadableSpecIsNotReplacedByThePodsValue) {
  const auto list =
      pod_with(R"(koordinator.sh/oom-score-adj: "900", koordinator.sh/oom-score-adj-spec: '{"a":"800"}')");
  EXPECT_EQ(values(list), std::pair(Value{}, Value{}));
  EXPECT_EQ(list.notices.size(), 1U);
}

}  // namespace
}  // namespace evenkeel
