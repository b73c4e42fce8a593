// Tests the memory of each NUMA node, and its huge pages.
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
  [[nodiscard]] std::optional<std::vector<node::NumaMemory>> read() const {
    return node::numa_memory(Host::open(fake.root()).value());
  }
  static Bytes gib(std::int64_t count) { return Bytes(count << 30); }
  static Bytes mib(std::int64_t count) { return Bytes(count << 20); }
  using Memories = std::vector<node::NumaMemory>;
};

TEST_F(NumaMemory, IsTheTotalWithoutHugePages) {
  EXPECT_EQ(read(), (Memories{{gib(16), {}, {}}, {gib(8), {}, {}}}));
  fake.file(kNodes + "node1/hugepages/hugepages-2048kB/nr_hugepages", "512\n");
  fake.file(kNodes + "node1/hugepages/hugepages-1048576kB/nr_hugepages", "2\n");
  EXPECT_EQ(read(), (Memories{{gib(16), {}, {}}, {gib(5), gib(2), gib(1)}}));
  fake.file(kNodes + "node0/hugepages/hugepages-32768kB/nr_hugepages", "2\n");
  EXPECT_EQ(read()->front(), (node::NumaMemory{gib(16) - mib(64), {}, {}})) << "a size that has no name";
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

TEST_F(NumaMemory, IsTheMachinesWithoutNuma) {
  fake.remove("sys/devices/system/node");
  fake.file("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512\n");
  EXPECT_EQ(read(), (Memories{{gib(15), {}, gib(1)}}));
  fake.remove("proc/meminfo");
  EXPECT_FALSE(read());
}

}  // namespace
}  // namespace evenkeel::test
