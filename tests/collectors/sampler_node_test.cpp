// The node collectors on a fake /proc and /sys.
#include "tests/support/scenes/sampler_node.h"

#include <gtest/gtest.h>

namespace evenkeel {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using test::SampledNode;

const std::string kCpu = "sys/devices/system/cpu/";

struct NodeSenses : testing::Test {
  void SetUp() override { sampled.fake.machine({.cpus = 4}).v1().kubepods(); }
  SampledNode sampled{};
};

TEST_F(NodeSenses, CpuUseIsAbsentAtFirstThenTheDifference) {
  sampled.fake.file("proc/stat", "cpu  1000 50 300 9000 200 20 30 5 0 0\n");
  sampled.start();
  auto& node = sampled.tick();
  EXPECT_EQ(node.since_previous, std::nullopt);
  EXPECT_EQ(node.node.cpu_use, std::nullopt);
  EXPECT_EQ(node.node.cpu_capacity, 4000_mcpu);

  EXPECT_EQ(node.node.tasks_started, std::nullopt);

  sampled.fake.file("proc/stat", "cpu  1180 50 360 9400 260 25 35 9 0 0\nprocesses 300\n");
  sampled.tick(1s);
  EXPECT_EQ(node.since_previous, 1s);
  EXPECT_EQ(node.node.tasks_started, 300);
  EXPECT_EQ(node.node.cpu_use, 2500_mcpu);  // 250 ticks of 10 ms
  EXPECT_EQ(node.node.cpu_stolen, 40_mcpu);

  sampled.fake.file("proc/stat", "cpu  1000 50 300 9000 200 20 30 5 0 0\n");
  sampled.tick(1s);
  EXPECT_EQ(node.node.cpu_use, std::nullopt);  // it decreased: not 1.8e17 CPUs
  EXPECT_EQ(node.node.cpu_stolen, std::nullopt);
  sampled.fake.file("proc/stat", "garbage\n");
  sampled.tick(1s);
  sampled.fake.file("proc/stat", "cpu  1000 50 300 9000 200 20 30 5 0 0\n");
  sampled.tick(1s);
  EXPECT_EQ(node.node.cpu_use, std::nullopt);  // after a gap: unknown when the ticks happened
}

TEST_F(NodeSenses, ALongProcStatIsReadCompletely) {
  std::string interrupts = "intr 1";
  for (int i = 0; i < 60'000; ++i) interrupts += " 0";
  sampled.fake.file("proc/stat", "cpu  100 0 0 0 0 0 0 0 0 0\n" + interrupts + "\n");
  sampled.start();
  sampled.tick();
  sampled.fake.file("proc/stat", "cpu  150 0 0 0 0 0 0 0 0 0\n" + interrupts + "\n");
  EXPECT_EQ(sampled.tick().node.cpu_use, 500_mcpu);
}

TEST_F(NodeSenses, HugePagePoolsOfEverySizeAreCounted) {
  const std::string pools = "sys/kernel/mm/hugepages/";
  sampled.fake.file(pools + "hugepages-2048kB/nr_hugepages", "8\n");
  sampled.fake.file(pools + "hugepages-1048576kB/nr_hugepages", "1\n");
  sampled.start();
  EXPECT_EQ(sampled.tick().node.memory->hugepages, 1040_MiB);  // 8 x 2 MiB + 1 GiB
  sampled.fake.file(pools + "hugepages-2048kB/nr_hugepages", "0\n");
  EXPECT_EQ(sampled.tick().node.memory->hugepages, 1024_MiB);
}

TEST_F(NodeSenses, WithoutPoolDirectoriesMeminfoIsUsed) {
  sampled.fake.file(
      "proc/meminfo",
      "MemTotal: 1000000 kB\nMemAvailable: 500000 kB\nHugePages_Total: 3\nHugepagesize: 2048 kB\n");
  sampled.start();
  EXPECT_EQ(sampled.tick().node.memory->hugepages, 6_MiB);
  sampled.fake.remove("proc/meminfo");
  EXPECT_FALSE(sampled.tick().node.memory);
}

TEST_F(NodeSenses, PressureOfTheMachineHasNoFullLineForTheCpu) {
  const char* text =
      "some avg10=1.50 avg60=0.00 avg300=0.00 total=7\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=3\n";
  sampled.fake.file("proc/pressure/cpu", text).file("proc/pressure/memory", text).remove("proc/pressure/io");
  sampled.start();
  const auto& pressure = sampled.tick().node.pressure;
  ASSERT_TRUE(pressure.cpu && pressure.memory);
  EXPECT_DOUBLE_EQ(pressure.cpu->some.avg10_percent, 1.5);
  EXPECT_FALSE(pressure.cpu->full);
  EXPECT_DOUBLE_EQ(pressure.memory->full->avg10_percent, 0.5);
  EXPECT_FALSE(pressure.io);
}

TEST_F(NodeSenses, ACollectorWithoutItsFilesIsOffWithTheReason) {
  sampled.fake.remove("proc/pressure").file("proc/sys/kernel/osrelease", "6.1.0\n");
  sampled.start();
  ASSERT_EQ(sampled.sampler().health().disabled.size(), 1u);
  EXPECT_EQ(sampled.sampler().health().disabled[0], "node-pressure: proc/pressure/cpu ENOENT");
}

TEST_F(NodeSenses, TheSchedulerIsThatOfTheRelease) {
  sampled.fake.file("proc/sys/kernel/osrelease", "6.12.9-amd64\n");
  sampled.start();
  const auto& scheduler = sampled.tick().scheduler;
  EXPECT_EQ(scheduler.fair, FairScheduler::eevdf);
  EXPECT_FALSE(scheduler.request_sizes) << "below a fake root no task can be reached";
  EXPECT_FALSE(scheduler.sched_ext);
}

TEST_F(NodeSenses, WhatTheAgentFoundAboutRequestSizesStays) {
  sampled.start();
  auto& node = sampled.tick();
  EXPECT_FALSE(node.scheduler.request_sizes_refused);
  node.scheduler.request_sizes_refused = true;
  EXPECT_TRUE(sampled.tick().scheduler.request_sizes_refused);
}

TEST_F(NodeSenses, ALoadedBpfSchedulerIsSeenWithinTenTicks) {
  sampled.fake.file("proc/sys/kernel/osrelease", "6.12.9\n").file("sys/kernel/sched_ext/state", "disabled\n");
  sampled.start();
  EXPECT_FALSE(sampled.tick().scheduler.sched_ext);
  sampled.fake.file("sys/kernel/sched_ext/state", "enabled\n");
  for (int i = 0; i < 10; ++i) sampled.tick();
  EXPECT_TRUE(sampled.tick().scheduler.sched_ext);
}

TEST_F(NodeSenses, CapacityFallsBackToCpuinfoAndToStat) {
  sampled.fake.remove(kCpu + "online");
  sampled.fake.file("proc/cpuinfo", "processor\t: 0\n\nprocessor\t: 1\n\nprocessor\t: 2\n");
  sampled.start();
  EXPECT_EQ(sampled.tick().node.cpu_capacity, 3000_mcpu);

  SampledNode bare;
  bare.fake.machine({.cpus = 4}).v1().kubepods();
  bare.fake.remove(kCpu + "online").remove("proc/cpuinfo");
  bare.fake.file("proc/stat", "cpu  0 0 0 0 0 0 0\ncpu0 0\ncpu1 0\n");
  bare.start();
  EXPECT_EQ(bare.tick().node.cpu_capacity, 2000_mcpu);

  SampledNode blind;
  blind.fake.dir("proc").v1().kubepods();
  blind.start();
  EXPECT_EQ(blind.tick().node.cpu_capacity, 0_mcpu);  // unknown
  EXPECT_TRUE(blind.node.topology.cpus.empty());
}

TEST_F(NodeSenses, SmtSiblingsShareACoreAndSocketsDoNot) {
  // Two sockets of two cores with two threads each; core_id repeats from socket to socket.
  sampled.fake.machine({.cpus = 8});
  for (int cpu = 0; cpu < 8; ++cpu) {
    const auto dir = kCpu + "cpu" + std::to_string(cpu) + "/topology/";
    sampled.fake.file(dir + "physical_package_id", cpu % 4 < 2 ? "0\n" : "1\n");
    sampled.fake.file(dir + "core_id", cpu % 2 == 0 ? "0\n" : "1\n");
    const auto cache = kCpu + "cpu" + std::to_string(cpu) + "/cache/index3/";
    sampled.fake.file(cache + "id", cpu % 4 < 2 ? "0\n" : "16\n");
  }
  sampled.fake.file("sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
  sampled.fake.file("sys/devices/system/node/node1/cpulist", "2-3,6-7\n");
  sampled.start();
  const auto& cpus = sampled.tick().topology.cpus;
  ASSERT_EQ(cpus.size(), 8u);
  EXPECT_EQ(cpus[0].core, cpus[4].core);
  EXPECT_EQ(cpus[3].core, cpus[7].core);
  EXPECT_NE(cpus[0].core, cpus[1].core);
  EXPECT_NE(cpus[0].core, cpus[2].core);  // the same core_id on another socket
  EXPECT_EQ(cpus[6].socket, 1);
  EXPECT_EQ(cpus[6].numa, 1);
  EXPECT_EQ(cpus[5].numa, 0);
  EXPECT_EQ(cpus[6].l3, 16);
}

TEST_F(NodeSenses, MissingTopologyFilesHaveDefaults) {
  for (int cpu = 0; cpu < 4; ++cpu) sampled.fake.remove(kCpu + "cpu" + std::to_string(cpu));
  sampled.fake.remove("sys/devices/system/node");
  sampled.start();
  const auto& cpus = sampled.tick().topology.cpus;
  ASSERT_EQ(cpus.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    const auto& cpu = cpus[static_cast<std::size_t>(i)];
    EXPECT_EQ(cpu.id, i);
    EXPECT_EQ(cpu.core, i);
    EXPECT_EQ(cpu.socket, 0);
    EXPECT_EQ(cpu.numa, 0);
    EXPECT_EQ(cpu.l3, 0);
  }
}

TEST_F(NodeSenses, MalformedTopologyFilesAreIgnored) {
  for (const char* text : {"", "-1\n", "x\n", "99999999999999999999\n", "\xff\x01"}) {
    SampledNode odd;
    odd.fake.machine({.cpus = 2}).v1().kubepods();
    for (const char* cpu : {"cpu0", "cpu1"}) {
      odd.fake.file(kCpu + cpu + "/topology/physical_package_id", text);
      odd.fake.file(kCpu + cpu + "/topology/core_id", text);
      odd.fake.file(kCpu + cpu + "/cache/index3/id", text);
      odd.fake.file(kCpu + cpu + "/cache/index3/level", text);
    }
    odd.fake.file("sys/devices/system/node/node0/cpulist", text);
    odd.start();
    const auto& cpus = odd.tick().topology.cpus;
    ASSERT_EQ(cpus.size(), 2u) << text;
    EXPECT_NE(cpus[0].core, cpus[1].core) << text;
    EXPECT_EQ(cpus[0].socket, 0) << text;
    EXPECT_EQ(cpus[0].l3, 0) << text;
  }
}

TEST_F(NodeSenses, WithoutIdTheFirstSharingCpuIdentifiesTheCache) {
  for (int cpu = 0; cpu < 4; ++cpu) {
    const auto cache = kCpu + "cpu" + std::to_string(cpu) + "/cache/index3/";
    sampled.fake.remove(cache + "id");
    sampled.fake.file(cache + "shared_cpu_list", cpu < 2 ? "0-1\n" : "2-3\n");
  }
  sampled.start();
  const auto& cpus = sampled.tick().topology.cpus;
  EXPECT_EQ(cpus[1].l3, 0);
  EXPECT_EQ(cpus[3].l3, 2);
}

TEST_F(NodeSenses, TurboIsKnownWithIntelsDriverOnlyAndFollowsItsSwitch) {
  sampled.start();
  EXPECT_EQ(sampled.tick().topology.turbo, std::nullopt);
  SampledNode intel;
  intel.fake.machine({.cpus = 4}).v1().kubepods();
  intel.fake.file(kCpu + "intel_pstate/no_turbo", "0\n");
  intel.start();
  auto& node = intel.tick();
  EXPECT_EQ(node.topology.turbo, true);
  intel.fake.file(kCpu + "intel_pstate/no_turbo", "1\n");
  for (int i = 0; i < 10; ++i) intel.tick();
  EXPECT_EQ(node.topology.turbo, false);
  intel.fake.file(kCpu + "online", "0-2\n");
  intel.tick();
  EXPECT_EQ(node.topology.turbo, false) << "the topology was read again";
}

TEST_F(NodeSenses, HotPlugIsNoticedAtTheNextTick) {
  sampled.start();
  auto& node = sampled.tick();
  sampled.fake.file(kCpu + "online", "0,2-3\n");
  sampled.tick();
  EXPECT_EQ(node.node.cpu_capacity, 3000_mcpu);
  EXPECT_EQ(node.topology.online.text(), "0,2-3");
  ASSERT_EQ(node.topology.cpus.size(), 3u);
  EXPECT_EQ(node.topology.cpus[1].id, 2);
  // The same number as before, but other CPUs.
  sampled.fake.file(kCpu + "online", "0-2\n");
  sampled.tick();
  EXPECT_EQ(node.topology.cpus[1].id, 1);
}

}  // namespace
}  // namespace evenkeel
