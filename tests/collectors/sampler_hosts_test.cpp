// What every kind of host must report alike.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/sampler_node.h"

namespace evenkeel {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using test::SampledNode;

struct Kubernetes {
  const char* name;
  std::function<void(test::FakeHost&)> hierarchies;
  bool v2;
};
void PrintTo(const Kubernetes& host, std::ostream* out) { *out << host.name; }

struct EveryHost : testing::TestWithParam<Kubernetes> {
  void SetUp() override {
    sampled.fake.machine({.cpus = 4});
    GetParam().hierarchies(sampled.fake);
    sampled.fake.kubepods();
    pod = sampled.fake.pod(KubeQos::burstable, "aa-bb", {"0123456789abcdef"});
    sampled.start();
    container = std::string(sampled.node.cgroups.back().path);
    for (const auto& sample : sampled.node.cgroups)
      if (sample.kind == CgroupKind::container) container = std::string(sample.path);
  }
  void cpu(std::int64_t used_us, int periods, int throttled, int throttled_us) {
    auto n = [](auto number) { return std::to_string(number) + "\n"; };
    if (GetParam().v2) {
      sampled.fake.write(Controller::cpu, container, "cpu.stat",
                         "usage_usec " + n(used_us) + "nr_periods " + n(periods) + "nr_throttled " +
                             n(throttled) + "throttled_usec " + n(throttled_us));
      return;
    }
    sampled.fake.write(Controller::cpuacct, container, "cpuacct.usage", n(used_us * 1000));
    sampled.fake.write(Controller::cpu, container, "cpu.stat",
                       "nr_periods " + n(periods) + "nr_throttled " + n(throttled) + "throttled_time " +
                           n(throttled_us * 1000));
  }
  SampledNode sampled{};
  std::string pod{}, container{};
};

TEST_P(EveryHost, RatesNeedTwoSamples) {
  cpu(5'000'000, 100, 10, 7000);
  sampled.tick();
  EXPECT_FALSE(sampled.at(container).cpu_use);
  EXPECT_FALSE(sampled.at(container).throttling);
  cpu(5'750'000, 110, 13, 9000);
  sampled.tick(500ms);
  EXPECT_EQ(sampled.at(container).cpu_use, 1500_mcpu);
  ASSERT_TRUE(sampled.at(container).throttling);
  EXPECT_EQ(sampled.at(container).throttling->throttled_periods, 3);
  EXPECT_EQ(sampled.at(container).throttling->throttled_time, 2ms);
  cpu(1, 1, 1, 1);
  sampled.tick();
  EXPECT_FALSE(sampled.at(container).cpu_use);
  EXPECT_FALSE(sampled.at(container).throttling);
}

TEST_P(EveryHost, MemoryIsKnownAtTheFirstTick) {
  const bool v2 = GetParam().v2;
  const std::string prefix = v2 ? "" : "total_";
  sampled.fake.write(Controller::memory, container, v2 ? "memory.current" : "memory.usage_in_bytes",
                     "1000\n");
  sampled.fake.write(Controller::memory, container, "memory.stat",
                     prefix + "inactive_anon 1\n" + prefix + "active_anon 2\n" + prefix + "unevictable 4\n" +
                         prefix + "inactive_file 300\n" + prefix + "active_file 8\n");
  sampled.tick();
  const auto& memory = sampled.at(container).memory;
  EXPECT_EQ(memory.current, 1000_B);
  EXPECT_EQ(memory.working_set, 700_B);
  EXPECT_EQ(memory.anonymous, 7_B);
  EXPECT_EQ(memory.page_cache, 308_B);
  EXPECT_TRUE(memory.events);
}

TEST_P(EveryHost, SettingsAreReadBack) {
  const bool v2 = GetParam().v2;
  sampled.tick();
  const auto& applied = sampled.at(container).applied;
  EXPECT_EQ(applied.cpu_limit, (CpuLimit{std::nullopt, 100ms}));
  EXPECT_EQ(applied.cpu_burst, 0_us_cpu);
  EXPECT_EQ(applied.cpu_shares, v2 ? 100 : 1024);
  EXPECT_EQ(applied.cpu_idle, 0);
  EXPECT_FALSE(applied.plain.has(Knob::cpu_bvt));  // a vendor kernel's setting
  ASSERT_TRUE(applied.cpus);
  EXPECT_EQ(applied.cpus->empty(), v2);  // inherited on v2, a copy on v1
  EXPECT_EQ(applied.cpus_effective.has_value(), v2);
  EXPECT_EQ(sampled.node.v2_cpu, v2);
  EXPECT_EQ(sampled.node.v2_io, v2);
}

TEST_P(EveryHost, AForeignWriteIsReadAtTheNextTick) {
  for (int i = 0; i < 3; ++i) sampled.tick();
  sampled.fake.write(Controller::cpu, container, "cpu.idle", "1\n");
  sampled.sampler().settings_changed(sampled.at(container).id);
  sampled.tick();
  EXPECT_EQ(sampled.at(container).applied.cpu_idle, 1);
  // One notification causes one read: the next value without a notification is read when it is due.
  int ticks_until_seen = 0;
  sampled.fake.write(Controller::cpu, container, "cpu.idle", "0\n");
  for (int i = 0; i < 10; ++i) {
    sampled.tick();
    ticks_until_seen += sampled.at(container).applied.cpu_idle == 1 ? 1 : 0;
  }
  EXPECT_GT(ticks_until_seen, 0);
}

TEST_P(EveryHost, ASettingWithoutNotificationIsReadWithinTenTicks) {
  for (int i = 0; i < 3; ++i) sampled.tick();
  sampled.fake.write(Controller::cpu, container, "cpu.idle", "1\n");
  int ticks = 0;
  while (sampled.at(container).applied.cpu_idle != 1 && ticks < 20) {
    sampled.tick();
    ++ticks;
  }
  EXPECT_LE(ticks, 10);
}

TEST_P(EveryHost, ARemovedCgroupHasNoRates) {
  cpu(1, 1, 1, 1);
  sampled.tick();
  sampled.fake.remove_cgroup(container);
  sampled.tick();
  EXPECT_FALSE(sampled.at(container).cpu_use);
  EXPECT_FALSE(sampled.at(container).throttling);
  EXPECT_FALSE(sampled.at(container).memory.current);
}

TEST_P(EveryHost, ASteadyTickAllocatesNothing) {
  for (int i = 0; i < 30; ++i) sampled.tick();
  const test::AllocGuard guard;
  for (int i = 0; i < 100; ++i) sampled.tick();
  EXPECT_EQ(guard.allocations(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Hosts, EveryHost,
    testing::Values(Kubernetes{"v1", [](test::FakeHost& host) { host.v1(); }, false},
                    Kubernetes{"v1_comounted", [](test::FakeHost& host) { host.v1_comounted().systemd(); },
                               false},
                    Kubernetes{"v2", [](test::FakeHost& host) { host.v2(); }, true},
                    Kubernetes{"v2_systemd", [](test::FakeHost& host) { host.v2().systemd(); }, true},
                    Kubernetes{"hybrid", [](test::FakeHost& host) { host.hybrid(); }, false}),
    [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace evenkeel
