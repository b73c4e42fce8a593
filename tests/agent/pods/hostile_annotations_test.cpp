// Every annotation that is parsed meets every text that a tenant could hope to harm its parser with: it is
// refused alone, with the pod's name, and the pods beside it are read.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "agent/pods/pod_list.h"
#include "qos/trust/trust.h"
#include "tests/support/fakes/kubelet_texts.h"
#include "tests/support/hostile_pods.h"

namespace evenkeel::pods {
namespace {

constexpr std::size_t kLongestNotice = 1100;
constexpr const char* kTitle = "pod default/hostile: ";

struct Outcome {
  Pod pod{};  ///< as its owner may have it
  std::vector<std::string> notices{}, refused{};
};

Outcome read(int number, bool batch) {
  const test::PodText hostile{.uid = "a",
                              .name = "hostile",
                              .labels = test::hostile_labels(batch),
                              .annotations = test::hostile_annotations(number, batch),
                              .container_ids = {"c"}};
  const test::PodText other{.uid = "b", .name = "other", .container_ids = {"d"}};
  const auto list = parse_pod_list(test::pod_list_json({hostile, other}), "answer", Source::kubelet);
  EXPECT_TRUE(list.problems.empty());
  EXPECT_EQ(list.pods.size(), 2U);
  Outcome out{.pod = list.pods.at(0), .notices = list.notices};
  trust::restrict(out.pod, NodeSlo{}, out.refused);
  return out;
}

long naming(const std::vector<std::string>& lines, const std::string& key) {
  return std::ranges::count_if(lines, [&](const std::string& line) {
    return line.starts_with(kTitle) && line.find(key) != std::string::npos;
  });
}

void expect_told(int number, bool batch) {
  const Outcome outcome = read(number, batch);
  long notices = 0;
  for (const auto& text : test::hostile_texts(number, batch)) {
    const std::string what = text.key + ": " + text.value.substr(0, 40);
    EXPECT_EQ(naming(outcome.notices, text.key), text.notices) << what;
    EXPECT_EQ(naming(outcome.refused, text.key), text.claims) << what;
    notices += text.notices;
  }
  EXPECT_EQ(std::ssize(outcome.notices), notices) << "something else is left out, too";
  for (const auto& notice : outcome.notices) EXPECT_LT(notice.size(), kLongestNotice) << notice;
  const Pod& pod = outcome.pod;
  EXPECT_FALSE(pod.allocated_cpus || pod.group_identity || pod.hands_off);
  EXPECT_TRUE(pod.resctrl.empty() && pod.blocks.empty());
  EXPECT_FALSE(pod.cpu_burst.policy || pod.cpu_burst.cfs_quota_burst_percent);
  EXPECT_TRUE(pod.memory_qos == MemoryQosOverride{} && pod.network.limits == NetworkLimits{});
  EXPECT_TRUE(pod.eviction.priority == 0 && !pod.containers.at(0).oom_score_adj);
}

TEST(HostileAnnotations, EachIsRefusedAloneAndToldOnceWithThePodsName) {
  for (int number = 0; number < test::kHostileKinds; ++number)
    for (const bool batch : {false, true}) {
      SCOPED_TRACE("pod " + std::to_string(number) + (batch ? " of batch work" : " of a service"));
      expect_told(number, batch);
    }
}

}  // namespace
}  // namespace evenkeel::pods
