// Tests the memory of each NUMA node, without its huge pages.
#include "collectors/node/numa_memory.h"

#include <gtest/gtest.h>

#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

const std::string kNodes = "sys/devices/system/node/";

struct NumaMemory : testing::Test {
  FakeHost fake{};
  NumaMemory() {
    fake.machine({.cpus = 4});
    node(0, "  16777216");
    node(1, "   8388608");
  }
  void node(int number, const std::string& kib) {
    const auto digit = std::to_string(number);
    fake.file(kNodes + "node" + digit + "/meminfo",
              "Node " + digit + " MemTotal:     " + kib + " kB\nNode " + digit + " MemFree:   12 kB\n");
  }
  [[nodiscard]] std::optional<std::vector<Bytes>> read() const {
    return node::numa_memory(Host::open(fake.root()).value());
  }
};

TEST_F(NumaMemory, IsTheTotalWithoutHugePages) {
  EXPECT_EQ(read(), (std::vector{Bytes(16LL << 30), Bytes(8LL << 30)}));
  fake.file(kNodes + "node1/hugepages/hugepages-2048kB/nr_hugepages", "512\n");
  fake.file(kNodes + "node1/hugepages/hugepages-1048576kB/nr_hugepages", "2\n");
  EXPECT_EQ(read(), (std::vector{Bytes(16LL << 30), Bytes(5LL << 30)}));
}

TEST_F(NumaMemory, IsAbsentWhereAFigureIsMissing) {
  fake.file(kNodes + "node1/meminfo", "Node 1 MemFree: 12 kB\n");
  EXPECT_FALSE(read());
  node(1, "8388608");
  fake.file(kNodes + "node1/hugepages/hugepages-2048kB/nr_hugepages", "many\n");
  EXPECT_FALSE(read());
  fake.remove(kNodes + "node1");
  node(3, "8388608");
  EXPECT_FALSE(read()) << "the numbers have a gap";
}

TEST_F(NumaMemory, IsEmptyWithoutNuma) {
  fake.remove("sys/devices/system/node");
  EXPECT_EQ(read(), std::vector<Bytes>{});
}

}  // namespace
}  // namespace evenkeel::test
