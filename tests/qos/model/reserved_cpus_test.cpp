// Tests which CPUs the Node object reserves, on machines of the kubelet's own tests of its static policy
// (pkg/kubelet/cm/cpumanager/policy_test.go) and on others.
#include <gtest/gtest.h>

#include "qos/model/capacity.h"
#include "tests/support/alloc_guard.h"

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
  const auto taken = first_cpus(cpus, count);
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

TEST(ReservedCpus, OfTheNode) {
  const auto cpus = topology({});
  NodeObject object;
  EXPECT_FALSE(node_reserved(object, cpus));
  object.reserved_cpu = MilliCpu(1500);
  EXPECT_EQ(node_reserved(object, cpus).value().text(), "0,4");
  object.reserved_cpus = CpuSet::range(7, 7);
  EXPECT_EQ(node_reserved(object, cpus), CpuSet::range(7, 7));
  object = {};
  object.reserved_cpu = MilliCpu(9000);
  EXPECT_FALSE(node_reserved(object, cpus)) << "more than there are";
}

TEST(ReservedCpus, FollowTheNodeObjectAndTheMachine) {
  NodeSnapshot node;
  ReservedCpus reserved;
  reserved.update(node);
  EXPECT_EQ(node.reserved_cpus.text(), "");
  node.object.reserved_cpu = MilliCpu(1500);
  reserved.update(node);
  EXPECT_EQ(node.reserved_cpus.text(), "") << "the CPUs are not known yet";
  node.topology = topology({});
  node.topology.online = CpuSet::range(0, 7);
  reserved.update(node);
  EXPECT_EQ(node.reserved_cpus.text(), "0,4");
  const AllocGuard guard;
  reserved.update(node);
  EXPECT_EQ(guard.allocations(), 0U);
  node.object.reserved_cpus = CpuSet::range(7, 7);
  reserved.update(node);
  EXPECT_EQ(node.reserved_cpus.text(), "7");
  node.object = {};
  reserved.update(node);
  EXPECT_EQ(node.reserved_cpus.text(), "");
}

}  // namespace
}  // namespace evenkeel::test
