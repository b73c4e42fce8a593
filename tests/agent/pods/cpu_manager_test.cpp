// Tests the CPUs that the kubelet has given to each pod, from its checkpoint.
#include "agent/pods/cpu_manager.h"

#include <gtest/gtest.h>

namespace evenkeel::test {
namespace {

TEST(KubeletCpus, AreThoseOfAllContainersOfAPod) {
  const auto cpus = pods::kubelet_cpus(
      R"({"policyName":"static","defaultCpuSet":"0,5-7","entries":{"u-1":{"a":"1-2","b":"3"},"u-2":{"c":"4"},)"
      R"("u-3":{}},"checksum":1})",
      "state");
  EXPECT_EQ(cpus.policy, "static");
  ASSERT_EQ(cpus.of.size(), 2U);
  EXPECT_EQ(cpus.of.at("u-1").text(), "1-3");
  EXPECT_EQ(cpus.of.at("u-2").text(), "4");
  EXPECT_EQ(cpus.all.text(), "1-4");
}

TEST(KubeletCpus, OldKubeletsNameContainers) {
  const auto cpus = pods::kubelet_cpus(R"({"policyName":"static","entries":{"c0ffee":"1-2"}})", "state");
  EXPECT_TRUE(cpus.of.empty());
  EXPECT_EQ(cpus.all.text(), "1-2");
}

TEST(KubeletCpus, WithoutEntriesAndWithAnotherText) {
  const auto none =
      pods::kubelet_cpus(R"({"policyName":"none","defaultCpuSet":"","checksum":1353318690})", "state");
  EXPECT_EQ(none.policy, "none");
  EXPECT_TRUE(none.of.empty());
  for (const char* text : {"", "[]", "{}", R"({"policyName":"static","entries":{"u":{"c":"x"}}})"})
    EXPECT_EQ(pods::kubelet_cpus(text, "state").policy, "") << text;
}

}  // namespace
}  // namespace evenkeel::test
