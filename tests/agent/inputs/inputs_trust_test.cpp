// Tests that what a tenant may not have is missing from the pods that policies see.
#include <gtest/gtest.h>

#include "agent/inputs/inputs.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

MonoTime at(int second) { return MonoTime(seconds(second)); }

/// Of a service that requests two CPUs and names 0 and 1.
std::string owner(const std::string& name, const std::string& created) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":"uid-)" + name +
         R"(","creationTimestamp":")" + created + R"(","labels":{"koordinator.sh/qosClass":"LSE"},)" +
         R"("annotations":{"scheduling.koordinator.sh/resource-status":"{\"cpuset\":\"0-1\"}"}},)" +
         R"("spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]},)" +
         R"("status":{"phase":"Running","qosClass":"Guaranteed"}})";
}

pods::PodList list_of(const std::string& items) {
  return pods::parse_pod_list(R"({"kind":"PodList","apiVersion":"v1","items":[)" + items + "]}", "f",
                              pods::Source::server);
}

TEST(TrustedInputs, APodHasNoCpusOfAnOlderOne) {
  inputs::Inputs inputs({.nodeslo_optional = true,
                         .pods = {inputs::PodsSource::Kind::kubelet, "https://k/pods"},
                         .by_text = true});
  const auto older = owner("older", "2026-01-01T00:00:00Z"), newer = owner("a-newer", "2026-02-01T00:00:00Z");
  inputs.deliver(list_of(newer + ',' + older), at(1));
  const auto changed = inputs.refresh(at(1));
  ASSERT_NE(inputs.pods(), nullptr);
  ASSERT_EQ(inputs.pods()->size(), 2U);
  for (const Pod& pod : *inputs.pods()) EXPECT_EQ(pod.allocated_cpus.has_value(), pod.name == "older");
  ASSERT_EQ(changed.untrusted.size(), 1U);
  EXPECT_NE(changed.untrusted[0].find("pod shop/a-newer: "), std::string::npos) << changed.untrusted[0];

  inputs.deliver(list_of(newer), at(2));
  EXPECT_TRUE(inputs.refresh(at(2)).pods);
  ASSERT_EQ(inputs.pods()->size(), 1U);
  EXPECT_TRUE(inputs.pods()->front().allocated_cpus) << "the older one is gone";

  const auto told = [&](int second) {
    inputs.deliver(list_of(newer + ',' + older), at(second));
    const auto again = inputs.refresh(at(second)).untrusted.size();
    inputs.deliver(list_of(newer), at(second + 1));
    inputs.refresh(at(second + 1));
    return again;
  };
  EXPECT_EQ(told(3), 0U) << "a claim that comes and goes fills no log";
  EXPECT_EQ(told(5), 0U);
  EXPECT_EQ(told(6 + 600), 1U) << "after ten minutes it is news again";

  inputs.deliver(list_of(newer + ',' + older), at(1000));
  inputs.refresh(at(1000));
  inputs.deliver(list_of(newer + ',' + older + ',' + owner("third", "2026-03-01T00:00:00Z")), at(3000));
  EXPECT_EQ(inputs.refresh(at(3000)).untrusted.size(), 1U)
      << "that of the third; the other one has stood all the time";
}

}  // namespace
}  // namespace evenkeel::test
