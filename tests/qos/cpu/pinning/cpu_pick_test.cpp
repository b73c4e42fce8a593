// Worked examples P* of the Koordinator reference: the order of choice.
#include <gtest/gtest.h>

#include <algorithm>

#include "qos/cpu/pinning/pinning.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using test::cpu_infos;
using Cpus = std::vector<CpuId>;

int zero(int /*cpu*/) { return 0; }
int self(int cpu) { return cpu; }
int half(int cpu) { return cpu / 2; }
int quarter(int cpu) { return cpu / 4; }

CpuTopology machine(std::vector<CpuInfo> cpus) {
  CpuTopology topology;
  for (const CpuInfo& cpu : cpus) topology.online.add(cpu.id);
  topology.cpus = std::move(cpus);
  return topology;
}

Cpus pick(const CpuTopology& topology, std::size_t count) {
  return pinning::pick_cpus(topology, topology.online, count);
}

TEST(CpuPick, TakesAWholeCoreAndThenTheNextNode) {  // P1
  const auto core = [](int cpu) { return cpu % 4; };
  const auto node = [](int cpu) { return cpu % 4 / 2; };
  EXPECT_EQ(pick(machine(cpu_infos(8, core, node, node)), 3), (Cpus{0, 4, 2}));
}

TEST(CpuPick, SiblingsMayHaveNeighbouringNumbers) {  // P2
  EXPECT_EQ(pick(machine(cpu_infos(8, half, quarter, quarter)), 3), (Cpus{0, 1, 4}));
}

TEST(CpuPick, SpreadsOverSocketsWhateverTheInputOrder) {  // P3
  const auto node = [](int cpu) { return cpu / 8; };
  auto cpus = cpu_infos(16, half, node, quarter);
  EXPECT_EQ(pick(machine(cpus), 5), (Cpus{0, 1, 4, 5, 8}));
  std::reverse(cpus.begin(), cpus.end());
  EXPECT_EQ(pick(machine(cpus), 5), (Cpus{0, 1, 4, 5, 8}));
}

TEST(CpuPick, NothingOfNothing) { EXPECT_TRUE(pick(machine({}), 0).empty()); }  // P4

TEST(CpuPick, GoesInOrderWithoutHyperThreads) {  // P5
  EXPECT_EQ(pick(machine(cpu_infos(8, self, zero, zero)), 4), (Cpus{0, 1, 2, 3}));
}

TEST(CpuPick, GivesAllOfAPoolThatIsTooSmall) {  // the reference gives nothing (W4)
  EXPECT_EQ(pick(machine(cpu_infos(4, half, zero, zero)), 9), (Cpus{0, 1, 2, 3}));
}

TEST(CpuPick, NodesAndSocketsThatMultiplyAlikeStayApart) {
  // In the reference's key, (node + N) * (socket + 1): node 2 socket 0 and node 0 of socket 1 need N = 2 to
  // meet, (2 + 2) * 1 = (0 + 2) * 2. One bucket of two would give 0 and 1 in this order too, so look at three
  // CPUs.
  std::vector<CpuInfo> cpus = {{0, 0, 0, 2, 0}, {1, 1, 1, 0, 1}};
  EXPECT_EQ(pick(machine(cpus), 2), (Cpus{0, 1}));
  cpus = {{0, 0, 0, 4, 0}, {1, 0, 0, 4, 0}, {2, 1, 1, 0, 1}, {3, 1, 1, 0, 1}};  // N = 4: 8 * 1 = 4 * 2
  EXPECT_EQ(pick(machine(cpus), 3), (Cpus{0, 1, 2}));
}

TEST(CpuPick, FillsOneCacheBeforeTheNext) {
  // One socket, cores 0 and 2 share a cache, cores 1 and 3 another.
  const std::vector<CpuInfo> cpus = {{0, 0, 0, 0, 0}, {1, 1, 0, 0, 1}, {2, 2, 0, 0, 0}, {3, 3, 0, 0, 1}};
  EXPECT_EQ(pick(machine(cpus), 2), (Cpus{0, 2}));
}

TEST(CpuPick, EveryPickIsDistinctAndFromThePool) {
  const CpuTopology topology = machine(cpu_infos(64, half, quarter, zero));
  CpuSet pool = CpuSet::range(3, 40);
  for (std::size_t count = 0; count <= 64; ++count) {
    const Cpus picked = pinning::pick_cpus(topology, pool, count);
    CpuSet set;
    for (const CpuId cpu : picked) set.add(cpu);
    EXPECT_EQ(set.size(), std::min<std::size_t>(count, 38));
    EXPECT_EQ(picked.size(), set.size());
    EXPECT_TRUE(set.subset_of(pool));
  }
}

}  // namespace
}  // namespace evenkeel
