// Tests what is read of the kubelet's /configz.
#include "agent/pods/kubelet_settings.h"

#include <gtest/gtest.h>

namespace evenkeel::test {
namespace {

std::string configz(const std::string& members) { return R"({"kubeletconfig":{)" + members + "}}"; }

TEST(KubeletSettings, AreOptionsReservedCpusAndTheTopologyPolicy) {
  const auto read = pods::kubelet_settings(configz(
      R"("cpuManagerPolicy":"static","cpuManagerPolicyOptions":{"full-pcpus-only":"true"},)"
      R"("reservedSystemCPUs":"0-1","topologyManagerPolicy":"restricted","topologyManagerScope":"pod")"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->options, (std::map<std::string, std::string>{{"full-pcpus-only", "true"}}));
  EXPECT_EQ(read->reserved.value().text(), "0-1");
  EXPECT_EQ(read->topology_policy, "RestrictedPodLevel");
}

TEST(KubeletSettings, ReservedCpuIsOfTheSystemAndTheKubelet) {
  const auto reserved = [](const std::string& members) {
    return pods::kubelet_settings(configz(members)).value().reserved_cpu;
  };
  EXPECT_EQ(reserved(R"("systemReserved":{"cpu":"200m","memory":"1Gi"},"kubeReserved":{"cpu":"1800m"})"),
            MilliCpu(2000));
  EXPECT_EQ(reserved(R"("kubeReserved":{"cpu":"0.5"})"), MilliCpu(500));
  EXPECT_EQ(reserved(R"("systemReserved":{"memory":"1Gi"},"kubeReserved":null)"), std::nullopt);
  EXPECT_EQ(reserved(R"("systemReserved":{"cpu":"0"})"), std::nullopt);
  EXPECT_EQ(reserved(R"("systemReserved":{"cpu":"many"},"kubeReserved":{"cpu":"1"})"), std::nullopt);
}

TEST(KubeletSettings, EveryTopologyPolicyHasItsWord) {
  const auto word = [](const std::string& policy, const std::string& scope) {
    return pods::kubelet_settings(configz(R"("topologyManagerPolicy":")" + policy +
                                          R"(","topologyManagerScope":")" + scope + '"'))
        .value()
        .topology_policy;
  };
  EXPECT_EQ(word("single-numa-node", "container"), "SingleNUMANodeContainerLevel");
  EXPECT_EQ(word("best-effort", "pod"), "BestEffortPodLevel");
  EXPECT_EQ(word("none", "container"), "None");
  EXPECT_EQ(word("clever", "container"), "");
}

TEST(KubeletSettings, AbsentForAnotherText) {
  EXPECT_FALSE(pods::kubelet_settings("Forbidden"));
  EXPECT_FALSE(pods::kubelet_settings("{}"));
  EXPECT_FALSE(pods::kubelet_settings(configz("")).value().reserved);
}

TEST(KubeletSettings, CpusReservedByAnAmountAreThoseOfTheStaticPolicy) {
  CpuTopology cpus;  // four cores with two threads each
  for (int id = 0; id < 8; ++id) cpus.cpus.push_back({.id = id, .core = id % 4});
  pods::KubeletSettings settings{.reserved = CpuSet::range(6, 7), .reserved_cpu = MilliCpu(2000)};
  const auto reserved = [&] { return pods::kubelet_reserved(settings, cpus); };
  EXPECT_EQ(reserved(), CpuSet::range(6, 7));
  settings.reserved.reset();
  EXPECT_EQ(reserved().value().text(), "0,4");
  settings.reserved_cpu = MilliCpu(2001);
  EXPECT_EQ(reserved().value().text(), "0-1,4") << "whole CPUs";
  settings.options["full-pcpus-only"] = "true";
  settings.options["distribute-cpus-across-numa"] = "false";
  EXPECT_TRUE(reserved());
  for (const char* option :
       {"distribute-cpus-across-numa", "distribute-cpus-across-cores", "prefer-align-cpus-by-uncorecache"}) {
    settings.options = {{option, "true"}};
    EXPECT_FALSE(reserved()) << option << ": the kubelet takes others";
  }
  settings = {};
  EXPECT_FALSE(reserved());
}

}  // namespace
}  // namespace evenkeel::test
