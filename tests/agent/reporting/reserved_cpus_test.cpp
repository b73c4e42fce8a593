// Tests which CPUs count as reserved, on machines of the kubelet's own tests of its static policy
// (pkg/kubelet/cm/cpumanager/policy_test.go) and on others.
#include "agent/reporting/reserved_cpus.h"

#include <gtest/gtest.h>

namespace evenkeel::test {
namespace {

struct Machine {
  int sockets = 1, numa_per_socket = 1, cores_per_numa = 4, threads = 2;
};

/// Numbered as Linux numbers them on x86: one thread of each core, then the others; cores alternate between
/// the sockets if `alternating`.
CpuTopology topology(const Machine& machine, bool alternating = false) {
  CpuTopology out;
  const int numas = machine.sockets * machine.numa_per_socket;
  const int cores = numas * machine.cores_per_numa;
  for (int id = 0; id < cores * machine.threads; ++id) {
    const int core = id % cores;
    const int numa = alternating ? core % numas : core / machine.cores_per_numa;
    out.cpus.push_back({.id = id, .core = core, .socket = numa / machine.numa_per_socket, .numa = numa});
  }
  return out;
}

std::string first(const CpuTopology& cpus, std::size_t count) {
  const auto taken = reporting::first_cpus(cpus, count);
  return taken ? taken->text() : "(absent)";
}

TEST(FirstCpus, AreWholeCoresThenSingleCpus) {
  const auto single = topology({});  // the kubelet's topoSingleSocketHT
  EXPECT_EQ(first(single, 0), "");
  EXPECT_EQ(first(single, 1), "0");
  EXPECT_EQ(first(single, 2), "0,4");
  EXPECT_EQ(first(single, 3), "0-1,4");
  EXPECT_EQ(first(single, 8), "0-7");
  EXPECT_EQ(first(single, 9), "(absent)");
  EXPECT_EQ(first(topology({.cores_per_numa = 4, .threads = 1}), 2), "0-1");
}

TEST(FirstCpus, FillASocketBeforeTheyBeginAnother) {
  const auto dual = topology({.sockets = 2, .cores_per_numa = 3}, true);  // topoDualSocketHT
  EXPECT_EQ(first(dual, 2), "0,6") << "as koordlet reports 200m and 1800m";
  EXPECT_EQ(first(dual, 4), "0,2,6,8");
  EXPECT_EQ(first(dual, 6), "0,2,4,6,8,10");
  EXPECT_EQ(first(dual, 7), "0-2,4,6,8,10");
}

TEST(FirstCpus, TakeNumaNodesOfASocketTogether) {
  const auto clustered = topology({.sockets = 2, .numa_per_socket = 2, .cores_per_numa = 2, .threads = 1});
  EXPECT_EQ(first(clustered, 3), "0-2");
  EXPECT_EQ(first(clustered, 5), "0-4");
  CpuTopology wide = topology({.sockets = 4, .cores_per_numa = 1, .threads = 1});
  for (auto& cpu : wide.cpus) cpu.numa = 0;
  EXPECT_EQ(first(wide, 2), "0-1") << "a virtual machine: each CPU is a socket";
}

TEST(FirstCpus, CoresOfAnotherSizeAreTakenLast) {
  CpuTopology hybrid = topology({.cores_per_numa = 2});  // CPUs 0 and 2, 1 and 3 are cores
  for (int id = 4; id < 8; ++id) hybrid.cpus.push_back({.id = id, .core = id});
  EXPECT_EQ(first(hybrid, 2), "4-5") << "8 CPUs of 6 cores: the kubelet takes one CPU for a whole core";
}

TEST(ReservedCpus, OfTheKubelet) {
  const auto cpus = topology({});
  pods::KubeletSettings settings{.reserved = CpuSet::range(6, 7), .reserved_cpu = MilliCpu(2000)};
  const auto reserved = [&] { return reporting::kubelet_reserved(settings, cpus); };
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

TEST(ReservedCpus, OfTheNode) {
  const auto cpus = topology({});
  NodeObject object;
  EXPECT_FALSE(reporting::node_reserved(object, cpus));
  object.reserved_cpu = MilliCpu(1500);
  EXPECT_EQ(reporting::node_reserved(object, cpus).value().text(), "0,4");
  object.reserved_cpus = CpuSet::range(7, 7);
  EXPECT_EQ(reporting::node_reserved(object, cpus), CpuSet::range(7, 7));
  object = {};
  object.reserved_cpu = MilliCpu(9000);
  EXPECT_FALSE(reporting::node_reserved(object, cpus)) << "more than there are";
}

}  // namespace
}  // namespace evenkeel::test
