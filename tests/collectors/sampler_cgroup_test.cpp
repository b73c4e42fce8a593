// What the sampler reads of cgroups, and when: one pod on a fake host.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/support/scenes/sampler_node.h"

namespace evenkeel {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using test::SampledNode;

constexpr const char* kStalled = "some avg10=9.00 avg60=0.00 avg300=0.00 total=1\n";

struct OnePod : testing::Test {
  void lay_out(const std::function<void(test::FakeHost&)>& hierarchies) {
    sampled.fake.machine({.cpus = 4});
    hierarchies(sampled.fake);
    sampled.fake.kubepods();
    pod = sampled.fake.pod(KubeQos::besteffort, "aa-bb", {"c1"});
  }
  SampledNode sampled{};
  std::string pod{};
};

TEST_F(OnePod, AHybridHostHasPressureInTheUnifiedHierarchy) {
  lay_out([](test::FakeHost& host) { host.hybrid(); });
  sampled.fake.file("sys/fs/cgroup/unified/" + pod + "/cpu.pressure", kStalled);
  sampled.start();
  sampled.tick();
  ASSERT_TRUE(sampled.at(pod).pressure.cpu);
  EXPECT_DOUBLE_EQ(sampled.at(pod).pressure.cpu->some.avg10_percent, 9.0);
}

TEST_F(OnePod, AVendorKernelHasPressureInCpuacct) {
  lay_out([](test::FakeHost& host) { host.v1(); });
  sampled.start();
  sampled.tick();
  EXPECT_FALSE(sampled.at(pod).pressure.cpu);

  SampledNode vendor;
  vendor.fake.machine({.cpus = 4}).v1().kubepods();
  pod = vendor.fake.pod(KubeQos::besteffort, "aa-bb");
  vendor.fake.write(Controller::cpuacct, pod, "memory.pressure", kStalled);
  vendor.start();
  vendor.tick();
  ASSERT_TRUE(vendor.at(pod).pressure.memory);
  EXPECT_DOUBLE_EQ(vendor.at(pod).pressure.memory->some.avg10_percent, 9.0);
  EXPECT_FALSE(vendor.at(pod).pressure.cpu);
}

TEST_F(OnePod, AHybridHostWithoutAUnifiedDirectoryFallsBackToTheVendorsFile) {
  lay_out([](test::FakeHost& host) { host.hybrid(); });
  sampled.fake.remove("sys/fs/cgroup/unified/" + pod);
  sampled.fake.write(Controller::cpuacct, pod, "cpu.pressure", kStalled);
  sampled.start();
  sampled.tick();
  ASSERT_TRUE(sampled.at(pod).pressure.cpu);
  EXPECT_DOUBLE_EQ(sampled.at(pod).pressure.cpu->some.avg10_percent, 9.0);
}

TEST_F(OnePod, AVendorSettingIsReadWhereItExists) {
  lay_out([](test::FakeHost& host) { host.v1(); });
  for (const auto& cgroup : {std::string("kubepods"), pod})
    sampled.fake.write(Controller::cpu, cgroup, "cpu.bvt_warp_ns", "-1\n");
  sampled.start();
  sampled.tick();
  EXPECT_EQ(sampled.at(pod).applied.plain.get(Knob::cpu_bvt), -1);
}

TEST_F(OnePod, WithoutTheCpuControllerV2StillReportsUse) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  sampled.fake.write(Controller::cpu, pod, "cpu.stat", "usage_usec 0\nuser_usec 0\nsystem_usec 0\n");
  sampled.fake.remove("sys/fs/cgroup/" + pod + "/cpu.max");
  sampled.start();
  sampled.tick();
  sampled.fake.write(Controller::cpu, pod, "cpu.stat", "usage_usec 250000\nuser_usec 0\nsystem_usec 0\n");
  sampled.tick();
  EXPECT_EQ(sampled.at(pod).cpu_use, 250_mcpu);
  EXPECT_FALSE(sampled.at(pod).throttling);
  EXPECT_FALSE(sampled.at(pod).applied.cpu_limit);
}

TEST_F(OnePod, BetweenTwoTicksItIsStillKnownThatItWasThrottled) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  const auto stat = [&](int throttled) {
    sampled.fake.write(Controller::cpu, pod, "cpu.stat",
                       "usage_usec 0\nuser_usec 0\nsystem_usec 0\nnr_periods 100\nnr_throttled " +
                           std::to_string(throttled) + "\nthrottled_usec 0\n");
  };
  stat(0);
  sampled.start();
  sampled.tick();
  stat(3);
  auto& node = sampled.tick();
  sampled.sampler().read_new_settings(node, node.at + std::chrono::milliseconds(100));
  EXPECT_FALSE(node.measured);
  ASSERT_TRUE(sampled.at(pod).throttling);
  EXPECT_EQ(sampled.at(pod).throttling->throttled_periods, 3);
}

TEST_F(OnePod, TheUsualIntervalIsTheShortestOfTheLastTicks) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  sampled.start();
  EXPECT_FALSE(sampled.tick().usual_interval);
  EXPECT_EQ(sampled.tick(std::chrono::seconds(2)).usual_interval, std::chrono::seconds(2));
  EXPECT_EQ(sampled.tick(std::chrono::hours(1)).usual_interval, std::chrono::seconds(2));
  for (int i = 0; i < 8; ++i) sampled.tick(std::chrono::seconds(5));
  EXPECT_EQ(sampled.tick(std::chrono::seconds(5)).usual_interval, std::chrono::seconds(5)) << "another one";
}

TEST_F(OnePod, MemoryStatKeepsItsValueUntilItIsDueAndThenTheTicksAreEven) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  const auto stat = [&](int anon) {
    sampled.fake.write(Controller::memory, pod, "memory.stat",
                       "inactive_anon " + std::to_string(anon) + "\nactive_anon 0\nunevictable 0\n");
  };
  stat(10);
  sampled.start();
  sampled.tick();
  EXPECT_EQ(sampled.at(pod).memory.anonymous, 10_B);
  stat(20);
  int changes = 0, seen_at = 0;
  for (int i = 1; i <= 5; ++i) {
    const auto before = sampled.at(pod).memory.anonymous;
    sampled.tick();
    if (sampled.at(pod).memory.anonymous != before) ++changes, seen_at = i;
  }
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(sampled.at(pod).memory.anonymous, 20_B);
  stat(30);
  for (int i = 1; i <= 5; ++i) {
    sampled.tick();
    EXPECT_EQ(sampled.at(pod).memory.anonymous, i < seen_at ? 20_B : 30_B);
  }
}

TEST_F(OnePod, TheExpensiveFilesAreSpreadEvenlyOverTheTicks) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  sampled.fake.remove_cgroup(pod);  // containers are read half as often
  for (int i = 0; i < 18; ++i) sampled.fake.pod(KubeQos::burstable, "00-0" + std::to_string(i));
  sampled.start();
  sampled.tick();
  for (const auto& sample : sampled.node.cgroups)
    sampled.fake.write(Controller::memory, std::string(sample.path), "memory.stat",
                       "inactive_anon 77\nactive_anon 0\nunevictable 0\n");
  const auto read_so_far = [&] {
    return std::count_if(sampled.node.cgroups.begin(), sampled.node.cgroups.end(),
                         [](const CgroupSample& sample) { return sample.memory.anonymous == 77_B; });
  };
  const auto all = static_cast<std::ptrdiff_t>(sampled.node.cgroups.size());
  for (int tick = 1; tick <= 5; ++tick) {
    sampled.tick();
    EXPECT_NEAR(static_cast<double>(read_so_far()), static_cast<double>(all * tick) / 5, 1.0);
  }
  EXPECT_EQ(read_so_far(), all);
}

TEST_F(OnePod, OnATreeWithoutEventsEverythingMayBeReadEachTick) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  sampled.start({.settings_every_tick = true, .slow_files_every_tick = true});
  sampled.tick();
  for (int i = 1; i <= 12; ++i) {
    sampled.fake.write(Controller::cpu, pod, "cpu.weight", std::to_string(i) + "\n");
    sampled.fake.write(Controller::memory, pod, "memory.stat",
                       "inactive_anon " + std::to_string(i) + "\nactive_anon 0\nunevictable 0\n");
    sampled.tick();
    EXPECT_EQ(sampled.at(pod).applied.cpu_shares, i);
    EXPECT_EQ(sampled.at(pod).memory.anonymous, Bytes(i));
  }
}

TEST_F(OnePod, MalformedTextInEveryFileMakesEverythingAbsent) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  for (const char* file : {"cpu.stat", "memory.current", "memory.stat", "memory.events", "cpu.pressure",
                           "memory.pressure", "io.pressure", "cpu.max", "cpu.max.burst", "cpu.weight",
                           "cpu.idle", "cpuset.cpus", "cpuset.cpus.effective"})
    sampled.fake.write(Controller::cpu, pod, file, std::string("\xff\0garbage 12 -5\n", 15));
  sampled.start();
  sampled.tick();
  sampled.tick();
  const auto& s = sampled.at(pod);
  EXPECT_FALSE(s.cpu_use || s.throttling || s.memory.current || s.memory.working_set || s.memory.anonymous);
  EXPECT_FALSE(s.memory.events || s.pressure.cpu || s.pressure.memory || s.pressure.io);
  const auto& a = s.applied;
  EXPECT_FALSE(a.cpu_limit || a.cpu_burst || a.cpu_shares || a.cpu_idle || a.cpus || a.cpus_effective);
}

TEST_F(OnePod, RatesContinueWhenTheRosterIsRebuilt) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  const auto use = [&](int us) {
    sampled.fake.write(Controller::cpu, pod, "cpu.stat", "usage_usec " + std::to_string(us) + "\n");
  };
  use(0);
  sampled.start();
  sampled.tick();
  // A new pod sorts before this one: every position changes.
  const auto first = sampled.fake.pod(KubeQos::besteffort, "00-00", {"c0"});
  sampled.rescan();
  use(400'000);
  sampled.tick();
  EXPECT_EQ(sampled.at(pod).cpu_use, 400_mcpu);
  EXPECT_FALSE(sampled.at(first).cpu_use);
  sampled.fake.remove_cgroup(first);
  sampled.rescan();
  EXPECT_EQ(sampled.at(pod).cpu_use, 400_mcpu);  // until the next tick says otherwise
  use(500'000);
  sampled.tick();
  EXPECT_EQ(sampled.at(pod).cpu_use, 100_mcpu);
}

TEST_F(OnePod, ARosterOfAnotherTreeGetsNoWrongNumbers) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  const auto charge = [&](const std::string& path, const char* bytes) {
    sampled.fake.write(Controller::memory, path, "memory.current", bytes);
  };
  charge(pod, "1\n");
  sampled.start();
  sampled.tick();
  // The sampler follows the new tree, but the snapshot still has the positions of the old one.
  const auto first = sampled.fake.pod(KubeQos::besteffort, "00-00");
  charge(first, "2\n");
  const auto id = sampled.at(pod).id;
  sampled.tree().scan();
  sampled.sampler().follow(sampled.tree());
  sampled.tick();
  for (const auto& sample : sampled.node.cgroups)
    EXPECT_TRUE(sample.id != id || sample.memory.current == 1_B);
}

TEST_F(OnePod, ARecreatedPathIsANewCgroup) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  sampled.fake.write(Controller::cpu, pod, "cpu.stat", "usage_usec 1\n");
  sampled.start();
  sampled.tick();
  const auto before = sampled.at(pod).id;
  sampled.fake.dir("sys/fs/cgroup/kubepods/besteffort/keep-the-inode-busy");
  sampled.fake.remove_cgroup(pod);
  sampled.fake.dir("sys/fs/cgroup/kubepods/besteffort/and-this-one");
  pod = sampled.fake.pod(KubeQos::besteffort, "aa-bb", {"c1"});
  sampled.fake.write(Controller::cpu, pod, "cpu.stat", "usage_usec 900000\n");
  sampled.rescan();
  sampled.tick();
  EXPECT_NE(sampled.at(pod).id, before);
  EXPECT_FALSE(sampled.at(pod).cpu_use);
}

std::size_t open_descriptors() {
  std::size_t open = 0;
  for (int fd = 0; fd < 4096; ++fd) open += ::fcntl(fd, F_GETFD) != -1 ? 1u : 0u;
  return open;
}

TEST_F(OnePod, WithFewDescriptorsFilesAreReopenedAndNothingIsMissing) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  for (int i = 0; i < 10; ++i) sampled.fake.pod(KubeQos::burstable, "00-0" + std::to_string(i), {"c"});
  const auto before = open_descriptors();
  sampled.start({.descriptor_limit = 60});
  sampled.tick();
  const auto& health = sampled.sampler().health();
  EXPECT_EQ(health.descriptors_kept, 60u);
  EXPECT_GT(health.files_reopened, 100u);
  EXPECT_EQ(health.descriptors_needed, health.descriptors_kept + health.files_reopened);
  // Besides the files: the host's root, and what the tree may hold.
  EXPECT_LE(open_descriptors(), before + 60 + 4);
  EXPECT_TRUE(sampled.at(pod).memory.current);
  EXPECT_TRUE(sampled.at(pod).applied.cpu_shares);
  sampled.fake.write(Controller::cpu, pod, "cpu.stat", "usage_usec 500000\n");
  sampled.tick();
  EXPECT_EQ(sampled.at(pod).cpu_use, 500_mcpu);
}

TEST_F(OnePod, EnoughDescriptorsAreAllKept) {
  lay_out([](test::FakeHost& host) { host.v2(); });
  sampled.start();
  sampled.tick();
  const auto& health = sampled.sampler().health();
  EXPECT_EQ(health.files_reopened, 0u);
  EXPECT_EQ(health.descriptors_needed, health.descriptors_kept);
}

}  // namespace
}  // namespace evenkeel
