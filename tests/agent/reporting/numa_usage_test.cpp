// Tests the averages of each NUMA node on a fake host with two of them.
#include "agent/reporting/numa_usage.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/fakes/fake_host.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using std::chrono::seconds;

/// Two NUMA nodes of 16 CPUs each; a pod and a host application.
struct NumaUsageTest : testing::Test {
  FakeHost host{};
  NodeSnapshot node =
      SnapshotBuilder().cpus(32).pod("web").ls().host_app(QosClass::ls, HostAppBase::cgroup_root).build();
  std::string pod_path{}, application_path{};
  std::array<std::int64_t, 32> ticks{};  ///< of 10 ms
  seconds now{100};
  Usage system{3700_mcpu, 1024_MiB};

  NumaUsageTest() {
    host.machine({.cpus = 32}).v2().kubepods();
    pod_path = host.pod(KubeQos::burstable, "11-22");
    application_path = "services/db";
    host.cgroup(application_path);
    sample(node.pods[0].cgroup).path = pod_path;
    sample(node.host_applications[0].cgroup).path = application_path;
    cpus(0, "0-15");
    cpus(1, "16-31");
    memory(0, 40, 30);
    memory(1, 20, 10);
    stat();
  }
  CgroupSample& sample(CgroupIndex index) { return node.cgroups[static_cast<std::size_t>(index)]; }
  static std::string directory(int number) {
    return "sys/devices/system/node/node" + std::to_string(number) + "/";
  }
  void cpus(int number, const std::string& list) { host.file(directory(number) + "cpulist", list + "\n"); }
  void memory(int number, int total_mib, int free_mib) {
    const auto line = [&](const std::string& name, int mib) {
      return "Node " + std::to_string(number) + " " + name + ": " + std::to_string(mib * 1024) + " kB\n";
    };
    host.file(directory(number) + "meminfo", line("MemTotal", total_mib) + line("MemFree", free_mib) +
                                                 line("Active(file)", 1) + line("Inactive(file)", 1) +
                                                 line("SReclaimable", 1));
  }
  /// MiB that the cgroup has in each of the two.
  void has(const std::string& cgroup, int first, int second) {
    const auto line = [](const char* name, int a, int b) {
      return std::string(name) + " N0=" + std::to_string(a << 20) + " N1=" + std::to_string(b << 20) + "\n";
    };
    host.write(Controller::memory, cgroup, "memory.numa_stat",
               line("file", 7, 7) + line("inactive_anon", first, second) + line("active_anon", 0, 0) +
                   line("unevictable", 0, 0));
  }
  void stat() {
    std::string text = "cpu  0 0 0 0 0 0 0 0 0 0\n";
    for (std::size_t cpu = 0; cpu < ticks.size(); ++cpu)
      text += "cpu" + std::to_string(cpu) + " " + std::to_string(ticks[cpu]) + " 0 0 0 0 0 0 0 0 0\n";
    host.file("proc/stat", text);
  }
  /// In that time `first` CPUs of the one and `second` of the other are busy.
  void pass(seconds time, std::size_t first, std::size_t second) {
    for (std::size_t cpu = 0; cpu < first; ++cpu) ticks[cpu] += 100 * time.count();
    for (std::size_t cpu = 0; cpu < second; ++cpu) ticks[16 + cpu] += 100 * time.count();
    now += time;
    stat();
  }
  void measure(reporting::NumaUsageMeter& meter) const { meter.measure(node, MonoTime(now)); }
  [[nodiscard]] std::vector<reporting::NumaUsage> averages(const reporting::NumaUsageMeter& meter) const {
    return meter.averages(seconds(300), system);
  }
};

TEST_F(NumaUsageTest, IsAveragedOverTheTimeBetweenReports) {
  has(pod_path, 2, 1);
  has(application_path, 1, 0);
  reporting::NumaUsageMeter meter(host.root());
  measure(meter);
  for (const auto& one : averages(meter))
    EXPECT_FALSE(one.whole.cpu || one.whole.memory || one.system.memory);
  pass(seconds(60), 12, 8);
  measure(meter);
  auto numa = averages(meter);
  ASSERT_EQ(numa.size(), 2u);
  // Koordinator's example: the system's 3.7 CPUs are shared out as 2.22 and 1.48.
  EXPECT_EQ(numa[0].node, 0);
  EXPECT_EQ(numa[0].whole, (Usage{12000_mcpu, 7_MiB}));
  EXPECT_EQ(numa[0].system, (Usage{2220_mcpu, 4_MiB}));
  EXPECT_EQ(numa[1].node, 1);
  EXPECT_EQ(numa[1].whole, (Usage{8000_mcpu, 7_MiB}));
  EXPECT_EQ(numa[1].system, (Usage{1480_mcpu, 6_MiB}));

  // Twice as long without any use of the second, with a little more memory.
  pass(seconds(120), 12, 0);
  memory(1, 20, 7);
  measure(meter);
  numa = averages(meter);
  EXPECT_EQ(numa[0].whole.cpu, 12000_mcpu);
  EXPECT_EQ(numa[1].whole, (Usage{2666_mcpu, 9_MiB}));
  EXPECT_EQ(numa[1].system.memory, 8_MiB);
  // What is older than the window is forgotten.
  pass(seconds(200), 1, 1);
  measure(meter);
  pass(seconds(100), 1, 1);
  measure(meter);
  EXPECT_EQ(averages(meter)[0].whole.cpu, 1000_mcpu);
}

TEST_F(NumaUsageTest, PodsOfUnknownMemoryCountAsSystem) {
  has(pod_path, 100, 1);
  reporting::NumaUsageMeter meter(host.root());
  measure(meter);
  pass(seconds(60), 1, 1);
  measure(meter);
  EXPECT_EQ(averages(meter)[0].system.memory, 0_B) << "never below zero";
  EXPECT_EQ(averages(meter)[1].system.memory, 6_MiB) << "the application's is not known";
}

TEST_F(NumaUsageTest, AnUnknownFigureIsAbsent) {
  reporting::NumaUsageMeter meter(host.root());
  measure(meter);
  pass(seconds(60), 4, 4);
  cpus(1, "16-30");
  host.remove(directory(0) + "meminfo");
  measure(meter);
  const auto numa = averages(meter);
  ASSERT_EQ(numa.size(), 2u);
  EXPECT_EQ(numa[0].whole, (Usage{4000_mcpu, std::nullopt}));
  EXPECT_EQ(numa[1].whole, (Usage{std::nullopt, 7_MiB})) << "a CPU went offline";
  EXPECT_FALSE(numa[0].system.cpu) << "the share of the other is not known";
  EXPECT_FALSE(numa[1].system.cpu);
}

TEST_F(NumaUsageTest, ACounterThatGoesBackwardsIsNoUse) {
  ticks[0] = 1000;
  stat();
  reporting::NumaUsageMeter meter(host.root());
  measure(meter);
  ticks[0] = 0;
  pass(seconds(1), 0, 1);
  measure(meter);
  EXPECT_EQ(averages(meter)[0].whole.cpu, std::nullopt);
  EXPECT_EQ(averages(meter)[1].whole.cpu, 1000_mcpu);
}

TEST_F(NumaUsageTest, AnIdleMachineUsesNothing) {
  reporting::NumaUsageMeter meter(host.root());
  measure(meter);
  pass(seconds(60), 0, 0);
  measure(meter);
  for (const auto& one : averages(meter)) {
    EXPECT_EQ(one.whole.cpu, 0_mcpu);
    EXPECT_EQ(one.system.cpu, 0_mcpu);
  }
}

TEST_F(NumaUsageTest, AMachineWithoutNumaReportsNone) {
  host.remove("sys/devices/system/node");
  reporting::NumaUsageMeter meter(host.root());
  measure(meter);
  pass(seconds(60), 1, 1);
  measure(meter);
  EXPECT_TRUE(averages(meter).empty());
}

}  // namespace
}  // namespace evenkeel::test
