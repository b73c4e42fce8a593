// All policies together on a busy node on which nothing changes any more.
#include <gtest/gtest.h>

#include "qos/decide/intent.h"
#include "qos/registry.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;
using test::node;

NodeSnapshot busy_node(int batch_services) {
  auto builder = node().cpus(64).uses(30000_mcpu).besteffort().cpuset("0-63");
  for (int i = 0; i < 110; ++i) {
    builder.pod("pod").quota(400000).burst(0).idle(0).cpuset("0-63");
    if (i % 3 == 0) builder.be();
    for (int c = 0; c < 3; ++c)
      builder.container("main")
          .limit(500_mcpu)
          .memory(512_MiB, 1024_MiB)
          .quota(50000)
          .burst(0)
          .uses(100_mcpu)
          .throttled(c)
          .cpuset("0-63");
  }
  for (int i = 0; i < batch_services; ++i)
    builder.host_app(QosClass::be, HostAppBase::cgroup_root).unlimited().uses(1000_mcpu);
  auto snapshot = builder.build();
  snapshot.node.memory =
      NodeMemory{Bytes(std::int64_t{256} << 30), Bytes(std::int64_t{128} << 30), {}, {}, {}};
  snapshot.resctrl = std::make_shared<const ResctrlSystem>(
      ResctrlSystem{{{.name = "L3", .unit = ResctrlUnit::ways, .full = 0x7ff, .domains = {0, 1}}}, 16, 0});
  for (auto& cgroup : snapshot.cgroups) {
    for (const Knob knob : {Knob::memory_min, Knob::memory_low}) cgroup.applied.plain.set(knob, 0);
    cgroup.applied.plain.set(Knob::memory_high, kPlainMax);
    cgroup.applied.plain.set(Knob::memory_oom_group, 0);
    cgroup.memory.current = 900_MiB;
  }
  return snapshot;
}

void expect_no_allocation(SuppressPolicy policy, int batch_services) {
  NodeSnapshot snapshot = busy_node(batch_services);
  NodeSlo slo;
  slo.threshold.enable = slo.qos.be.cpu.enable = slo.evenkeel.brake.enable = true;
  slo.threshold.cpu_suppress_policy = policy;
  slo.cpu_burst.policy = BurstPolicy::automatic;
  slo.qos.be.resctrl = ResctrlQos{.enable = true, .cat_range_end_percent = 30_pct};
  slo.qos.ls.memory = MemoryQos{.enable = true, .min_limit_percent = 50_pct, .throttling_percent = 80_pct};
  decide::PolicyState state;
  decide::Intents out;
  std::vector<decide::Intent> plan;
  const auto tick = [&] {
    out.clear();
    decide::decide_all(snapshot, slo, state, out);
    decide::arbitrate(snapshot, slo, out, plan);
  };
  for (int warm = 0; warm < 100; ++warm) {
    tick();
    test::obey(snapshot, out);
    snapshot.at += seconds(1);
  }
  const test::AllocGuard guard;
  tick();
  EXPECT_EQ(guard.allocations(), 0U);
  EXPECT_GT(plan.size(), 300U);
}

TEST(Policies, ASteadyTickAllocatesNothing) {
  for (const auto policy : {SuppressPolicy::cfs_quota, SuppressPolicy::cpuset})
    for (const int batch_services : {0, 5}) expect_no_allocation(policy, batch_services);
}

}  // namespace
}  // namespace evenkeel
