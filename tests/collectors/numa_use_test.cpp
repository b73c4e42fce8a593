// Tests what each NUMA node has used, and what it has of a cgroup's memory.
#include "collectors/node/numa_use.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/fakes/fake_host.h"
#include "tests/support/malformed.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

struct NumaUse : testing::Test {
  FakeHost fake{};
  /// Two NUMA nodes of two CPUs each, whose CPUs do not have adjacent numbers.
  NumaUse() {
    fake.machine({.cpus = 4});
    node(0, "0,2", 131'500'000);
    node(1, "1,3", 0);
    stat({10, 20, 30, 40});
  }
  void node(int number, const std::string& cpus, int total_kib) {
    const auto directory = "sys/devices/system/node/node" + std::to_string(number) + "/";
    fake.file(directory + "cpulist", cpus + "\n");
    const auto line = [&](const std::string& name, int kib) {
      return "Node " + std::to_string(number) + " " + name + " " + std::to_string(kib) + " kB\n";
    };
    // What Koordinator computes from these figures of node 0 is 46 500 000 KiB.
    fake.file(directory + "meminfo",
              line("MemTotal:", total_kib) + line("MemFree:", 10'000'000) + line("MemUsed:", 7) +
                  line("Active(anon):", 7) + line("Active(file):", 30'000'000) +
                  line("Inactive(file):", 40'000'000) + line("SReclaimable:", 5'000'000));
  }
  /// In ticks of 10 ms, of each CPU.
  void stat(const std::vector<int>& ticks) {
    std::string text = "cpu  1 0 0 0 0 0 0 0 0 0\n";
    for (std::size_t cpu = 0; cpu < ticks.size(); ++cpu)
      text += "cpu" + std::to_string(cpu) + " " + std::to_string(ticks[cpu]) + " 0 0 9 9 0 0 9 0 0\n";
    fake.file("proc/stat", text + "intr 7 0 0\nctxt 9\n");
  }
  [[nodiscard]] std::vector<node::NumaReading> read() const {
    return node::numa_readings(Host::open(fake.root()).value());
  }
  static CpuSet cpus(const char* list) { return CpuSet::parse(list).value(); }
  static CpuTime time(milliseconds used) { return CpuTime(std::chrono::nanoseconds(used).count()); }
  using Readings = std::vector<node::NumaReading>;
};

TEST_F(NumaUse, IsThatOfItsCpusAndItsMemoryWithoutWhatCanBeReclaimed) {
  EXPECT_EQ(read(), (Readings{{0, cpus("0,2"), time(milliseconds(400)), Bytes(47'616'000'000)},
                              {1, cpus("1,3"), time(milliseconds(600)), Bytes(0)}}));
}

TEST_F(NumaUse, IsAbsentWhereAFigureIsMissing) {
  stat({10, 20, 30});
  EXPECT_EQ(read()[0].cpu_time, time(milliseconds(400)));
  EXPECT_FALSE(read()[1].cpu_time) << "nothing is said of CPU 3";
  fake.file("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 100 kB\nNode 0 MemFree: 50 kB\n");
  EXPECT_FALSE(read()[0].memory);
  EXPECT_TRUE(read()[1].memory);
  fake.remove("sys/devices/system/node/node0/cpulist");
  EXPECT_FALSE(read()[0].cpu_time) << "its CPUs are not known";
  fake.remove("proc/stat");
  EXPECT_FALSE(read()[1].cpu_time);
}

TEST_F(NumaUse, NodesMayHaveMemoryOnlyOrNothing) {
  node(2, "", 90'000'000);
  node(3, "", 0);
  const auto readings = read();
  ASSERT_EQ(readings.size(), 3u) << "node 3 has a device only";
  EXPECT_EQ(readings[2].cpu_time, CpuTime(0)) << "without CPUs none is used";
  EXPECT_EQ(readings[2].memory, Bytes(std::int64_t{5'000'000} * 1024));
}

TEST_F(NumaUse, IsEmptyWithoutNuma) {
  fake.remove("sys/devices/system/node");
  EXPECT_TRUE(read().empty());
}

TEST(NumaOfCgroup, IsInBytesOnV2) {
  const std::string text =
      "anon N0=900 N1=900\nfile N0=8192 N1=0\nkernel_stack N0=1 N1=1\nfile_mapped N0=7 N1=7\n"
      "inactive_anon N0=4096 N1=100\nactive_anon N0=8192 N1=0\ninactive_file N0=5 N1=5\nactive_file N0=5 "
      "N1=5\n"
      "unevictable N0=1 N1=20\nslab_reclaimable N0=3 N1=3\n";
  EXPECT_EQ(node::anonymous_in(text, 0), Bytes(4096 + 8192 + 1));
  EXPECT_EQ(node::anonymous_in(text, 1), Bytes(120));
  EXPECT_FALSE(node::anonymous_in(text, 2)) << "there is no such node";
}

TEST(NumaOfCgroup, IsInPagesOnV1AndIncludesTheCgroupsBelow) {
  const std::string text =
      "total=44 N0=0 N1=44\nfile=8 N0=0 N1=8\nanon=6 N0=0 N1=6\nunevictable=30 N0=0 N1=30\n"
      "hierarchical_total=183 N0=83 N1=100\nhierarchical_file=147 N0=80 N1=67\n"
      "hierarchical_anon=34 N0=2 N1=32\nhierarchical_unevictable=53 N0=50 N1=3\n";
  EXPECT_EQ(node::anonymous_in(text, 0), Bytes(52 * ::sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(node::anonymous_in(text, 1), Bytes(35 * ::sysconf(_SC_PAGESIZE)));
}

TEST(NumaOfCgroup, IsAbsentWhereALineIsMissingOrMalformed) {
  for (const auto& text : malformed_texts()) EXPECT_FALSE(node::anonymous_in(text, 0)) << text.substr(0, 40);
  for (const char* text :
       {"inactive_anon N0=4096\nactive_anon N0=8192\n", "hierarchical_anon=2 N0=2\n",
        "anon=2 N0=2\nunevictable=3 N0=3\n", "inactive_anon N0=1\nactive_anon N0=x\nunevictable N0=1\n",
        "inactive_anon N0=1\nactive_anon N0=-2\nunevictable N0=1\n",
        "hierarchical_anon=1 N0=9223372036854775807\nhierarchical_unevictable=0 N0=0\n"})
    EXPECT_FALSE(node::anonymous_in(text, 0)) << text;
}

}  // namespace
}  // namespace evenkeel::test
