#include "cgroup/features/features.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/fakes/fake_host.h"
#include "tests/support/live/live_cgroups.h"

namespace evenkeel {
namespace {

using test::FakeHost;

std::vector<features::Capability> probe_fake(const FakeHost& fake) {
  const auto host = std::move(*Host::open(fake.root()));
  tree::CgroupTree tree(host, *tree::detect_layout(host, ""));
  tree.scan();
  return features::probe(host, tree);
}

features::Capability one(const std::vector<features::Capability>& all, std::string_view feature) {
  for (const auto& capability : all)
    if (capability.feature == feature) return capability;
  ADD_FAILURE() << "no row " << feature;
  return {};
}

TEST(Features, EachRowIsThereOnceAndSaysWhyNot) {
  FakeHost fake;
  std::set<std::string> names;
  for (const auto& row : probe_fake(fake.machine().v1().kubepods())) {
    EXPECT_TRUE(names.insert(row.feature).second) << row.feature;
    EXPECT_EQ(row.works, row.why_not.empty()) << row.feature;
    EXPECT_TRUE(!row.works || row.substitute.empty()) << row.feature;
  }
  EXPECT_GE(names.size(), 20u);
}

TEST(Features, V1HasBurstAndNoReclaim) {
  FakeHost fake;
  const auto all = probe_fake(fake.machine().v1().kubepods());
  EXPECT_TRUE(one(all, "cpu-burst").works);
  EXPECT_TRUE(one(all, "io-throttle").works);
  EXPECT_TRUE(one(all, "psi-node").works);
  EXPECT_FALSE(one(all, "cgroup-v2").works);
  EXPECT_EQ(one(all, "cgroup-v2").detail, "v1, cgroupfs driver");
  EXPECT_EQ(one(all, "memory-reclaim").why_not, "cgroup v1 has no memory.reclaim");
  EXPECT_EQ(one(all, "memory-high").why_not, "no memory.high in /sys/fs/cgroup/memory/kubepods");
  EXPECT_EQ(one(all, "psi-cgroup").substitute, "the node's pressure");
  EXPECT_EQ(one(all, "memory-wmark-ratio").substitute, "") << "nothing on v1 can stand in";
}

TEST(Features, V2HasReclaimAndItStandsInForWatermarks) {
  FakeHost fake;
  const auto all = probe_fake(fake.machine().v2().systemd().kubepods());
  for (const char* feature : {"cgroup-v2", "cpu-quota", "cpu-burst", "cpu-idle", "cpuset", "memory-min",
                              "memory-low", "memory-high", "memory-reclaim", "io-throttle", "psi-cgroup"})
    EXPECT_TRUE(one(all, feature).works) << feature;
  EXPECT_EQ(one(all, "memory-wmark-ratio").substitute, "a reclaim loop with memory.reclaim");
  EXPECT_EQ(one(all, "cpu-bvt").substitute, "cpu.idle for best-effort pods");
}

TEST(Features, FilePagesAloneCanBeTakenWhereNothingCanBeSwapped) {
  FakeHost fake;
  fake.machine().v2().kubepods();
  const auto meminfo = fake.read("proc/meminfo");
  const auto row = [&](const std::string& swap, const char* feature) {
    fake.file("proc/meminfo", meminfo + swap);
    return one(probe_fake(fake), feature);
  };
  EXPECT_TRUE(row("SwapTotal: 0 kB\n", "memory-reclaim-file-pages").works);
  EXPECT_EQ(row("SwapTotal: 0 kB\n", "page-cache-limit").substitute,
            "memory.reclaim of file pages, in the background only");
  EXPECT_EQ(row("SwapTotal: 1024 kB\n", "memory-reclaim-file-pages").why_not,
            "not tried: the host root is " + fake.root() + ", and the node can swap");
  EXPECT_EQ(row("SwapTotal: 1024 kB\n", "page-cache-limit").substitute, "");
  EXPECT_FALSE(row("", "memory-reclaim-file-pages").works) << "unknown is not none";
  EXPECT_TRUE(row("", "memory-push-back").works);
  EXPECT_EQ(fake.read(Controller::memory, fake.kubepods_path(), "memory.reclaim"), "") << "nothing was taken";
}

TEST(Features, WhatCanBeDoneOnDisks) {
  FakeHost v1, v2;
  const auto old = probe_fake(v1.machine().v1().kubepods());
  EXPECT_NE(one(old, "io-throttle").detail.find("page cache"), std::string::npos);
  EXPECT_FALSE(one(old, "io-weight").works);
  EXPECT_EQ(one(old, "io-cost").why_not, "no blkio.cost.qos in /sys/fs/cgroup/blkio");
  EXPECT_EQ(one(old, "io-latency").why_not, "cgroup v1 has no io.latency");
  v2.machine().v2().kubepods().file("sys/fs/cgroup/io.cost.qos", "");
  v2.write(Controller::blkio, v2.kubepods_path(), "io.bfq.weight", "100\n");
  const auto now = probe_fake(v2);
  EXPECT_TRUE(one(now, "io-weight").works && one(now, "io-cost").works);
  EXPECT_EQ(one(now, "io-latency").why_not, "no io.latency in /sys/fs/cgroup/kubepods");
  EXPECT_EQ(one(now, "io-weight").detail, "also io.bfq.weight, on disks whose scheduler is bfq");
}

TEST(Features, V1SaysWhatItHasNotAndWhy) {
  FakeHost fake;
  const auto all = probe_fake(fake.machine().v1().kubepods());
  EXPECT_NE(one(all, "memory-push-back").why_not.find("memory.soft_limit_in_bytes throttles no cgroup"),
            std::string::npos);
  EXPECT_NE(one(all, "memory-reclaim").detail.find("memory.force_empty"), std::string::npos);
  EXPECT_EQ(one(all, "page-cache-limit").substitute, "");
}

TEST(Features, AVendorKernelsFilesAreFound) {
  FakeHost fake;
  fake.machine().v1().kubepods();
  fake.write(Controller::cpu, "kubepods", "cpu.bvt_warp_ns", "0\n");
  for (const char* file : {"memory.wmark_ratio", "memory.wmark_min_adj", "memory.use_priority_oom"})
    fake.write(Controller::memory, "kubepods", file, "0\n");
  fake.write(Controller::cpuacct, "kubepods", "cpu.pressure",
             "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  const auto all = probe_fake(fake);
  EXPECT_TRUE(one(all, "cpu-bvt").works);
  for (const char* feature : {"memory-wmark-ratio", "memory-wmark-min-adj", "memory-use-priority-oom"})
    EXPECT_TRUE(one(all, feature).works) << feature;
  EXPECT_EQ(one(all, "memory-priority").why_not, "no memory.priority in /sys/fs/cgroup/memory/kubepods");
  EXPECT_EQ(one(all, "psi-cgroup").detail, "from /sys/fs/cgroup/cpuacct");
}

TEST(Features, AnOldKernelWithoutBurstAndIdleFallsBackToShares) {
  FakeHost fake;
  fake.machine().v2().kubepods();
  for (const auto& cgroup :
       {fake.kubepods_path(), fake.qos_path(KubeQos::burstable), fake.qos_path(KubeQos::besteffort)})
    fake.remove(fake.dir_of(Controller::cpu, cgroup) + "/cpu.idle")
        .remove(fake.dir_of(Controller::cpu, cgroup) + "/cpu.max.burst");
  const auto all = probe_fake(fake);
  EXPECT_EQ(one(all, "cpu-burst").why_not, "no cpu.max.burst in /sys/fs/cgroup/kubepods");
  EXPECT_EQ(one(all, "cpu-bvt").substitute, "the lowest shares");
}

TEST(Features, ALoadedBpfSchedulerIsNamed) {
  FakeHost fake;
  fake.machine().v2().kubepods();
  EXPECT_TRUE(one(probe_fake(fake), "fair-class").works) << "a kernel without sched_ext";
  const std::string directory = "sys/kernel/sched_ext/";
  fake.file(directory + "state", "enabled\n").file(directory + "root/ops", "lavd\n");
  EXPECT_EQ(one(probe_fake(fake), "fair-class").why_not,
            "the BPF scheduler lavd (sched_ext) is loaded: shares, quotas, cpu.idle and request sizes may be "
            "inert");
  fake.file(directory + "state", "disabled\n");
  EXPECT_TRUE(one(probe_fake(fake), "fair-class").works);
}

TEST(Features, TheRootOfV2AloneProvesNothing) {
  FakeHost fake;
  EXPECT_EQ(one(probe_fake(fake.v2()), "cpu-quota").why_not,
            "no cgroup below /sys/fs/cgroup to look for cpu.max");
}

TEST(Features, ADirectoryIsNotAskedWhatTheMachineCanDo) {
  FakeHost fake;
  const auto all = probe_fake(fake.v2());
  for (const char* feature : {"perf-cycles", "bpf-run-queue", "bpf-counters"})
    EXPECT_EQ(one(all, feature).why_not, "not tried: the host root is " + fake.root());
}

TEST(Features, ResctrlIsMountedOrTheCpuSaysWhyNot) {
  FakeHost without, unmounted, mounted;
  without.v2().file("proc/cpuinfo", "processor : 0\nflags\t\t: fpu rdtscp\n");
  unmounted.v2().file("proc/cpuinfo", "processor : 0\nflags\t\t: fpu rdt_a cat_l3 mba\n");
  mounted.v2().file("sys/fs/resctrl/schemata", "L3:0=7ff\n").file("sys/fs/resctrl/info/L3/cbm_mask", "7ff\n");
  mounted.file("sys/fs/resctrl/info/L3/num_closids", "16\n");
  EXPECT_EQ(one(probe_fake(without), "resctrl").why_not, "the CPU cannot partition its caches");
  EXPECT_EQ(one(probe_fake(unmounted), "resctrl").why_not,
            "not mounted: mount -t resctrl resctrl /sys/fs/resctrl");
  EXPECT_TRUE(one(probe_fake(mounted), "resctrl").works);
  EXPECT_EQ(one(probe_fake(mounted), "cache-ways").detail, "L3 mask 7ff, 16 groups");
  EXPECT_EQ(one(probe_fake(mounted), "memory-bandwidth").why_not, "no MB in /sys/fs/resctrl/info");
  EXPECT_EQ(one(probe_fake(without), "cache-ways").why_not, "no resctrl");
}

// Other tests make and remove theirs meanwhile.
std::vector<std::string> strangers_in(const Host& host, const std::string& dir) {
  auto names = *host.subdirs(dir);
  std::erase_if(names, [](const std::string& name) { return name.starts_with("evenkeel"); });
  return names;
}

TEST(LiveFeatures, ProbingTheRealMachineLeavesNothingBehind) {
  test::LiveCgroups cgroups;
  if (!cgroups.why_not().empty()) GTEST_SKIP() << cgroups.why_not();
  const auto root = cgroups.layout().root(Controller::cpu);
  tree::CgroupTree tree(cgroups.host(), cgroups.layout());
  const auto cgroups_before = strangers_in(cgroups.host(), root);
  const auto descriptors_before = cgroups.host().files("proc/self/fd")->size();
  const auto all = features::probe(cgroups.host(), tree);
  EXPECT_EQ(strangers_in(cgroups.host(), root), cgroups_before);
  EXPECT_EQ(cgroups.host().files("proc/self/fd")->size(), descriptors_before);
  EXPECT_TRUE(one(all, "cpu-quota").works) << one(all, "cpu-quota").why_not;
  for (const auto& row : all) EXPECT_EQ(row.works, row.why_not.empty()) << row.feature;
}

}  // namespace
}  // namespace evenkeel
