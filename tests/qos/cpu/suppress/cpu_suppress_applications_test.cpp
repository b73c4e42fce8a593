// Best-effort host applications where a quota would do harm: by their CPU set, or not at all.
#include <gtest/gtest.h>

#include "qos/cpu/suppress/suppress.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using test::node;

constexpr SchedulerFacts kWithoutSizes{.fair = FairScheduler::eevdf, .request_sizes = false};
constexpr SchedulerFacts kWithSizes{.fair = FairScheduler::eevdf, .request_sizes = true};

/// Ticks of one second on a node that applies every intent.
struct Loop {
  NodeSnapshot node;
  NodeSlo slo{};
  decide::PolicyState state{};
  decide::Intents out{};

  Loop(const NodeSnapshot& snapshot, SuppressPolicy by, SchedulerFacts scheduler) : node(snapshot) {
    slo.threshold.enable = true;
    slo.threshold.cpu_suppress_policy = by;
    node.scheduler = scheduler;
  }
  void tick() {
    out.clear();
    test::decide_one(suppress::cpu_suppress_policy, node, slo, state, out);
    test::obey(node, out);
    node.at += std::chrono::seconds(1);
  }
  const CgroupSample& app(std::size_t index) const {
    return *node.cgroup(node.host_applications[index].cgroup);
  }
  /// The CPUs wanted; absent: no set is.
  std::optional<CpuSet> cpus(const CgroupSample& sample) const {
    const decide::Intent* found = test::intent(out, sample.id, Knob::cpuset_cpus);
    return found == nullptr ? std::nullopt : std::optional(std::get<CpuSet>(found->value));
  }
  std::int64_t quota(const CgroupSample& sample) const {
    return test::intended(out, sample.id, Knob::cpu_quota);
  }
};

/// 16 CPUs and no kubelet: a database (LS) of 6 CPUs, a system of 1, and a batch service to be described.
test::SnapshotBuilder plain_machine() {
  auto builder = node().cpus(16).without_besteffort().uses(7000_mcpu);
  builder.host_app(QosClass::ls, HostAppBase::cgroup_root).uses(6000_mcpu).unlimited();
  return builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).unlimited();
}

TEST(CpuSuppressApplications, WithoutACpuSetTheyAreLeftAloneUnderEitherPolicy) {
  for (const auto by : {SuppressPolicy::cfs_quota, SuppressPolicy::cpuset}) {
    Loop loop(plain_machine().build(), by, kWithoutSizes);
    for (int i = 0; i < 3; ++i) loop.tick();
    EXPECT_TRUE(loop.out.all().empty());
    EXPECT_TRUE(suppress::is_left_alone(loop.node, loop.node.host_applications[1]));
    EXPECT_FALSE(suppress::is_left_alone(loop.node, loop.node.host_applications[0])) << "a service";
  }
}

TEST(CpuSuppressApplications, TheirCpuSetTakesThePlaceOfTheQuota) {
  for (const auto by : {SuppressPolicy::cfs_quota, SuppressPolicy::cpuset}) {
    Loop loop(plain_machine().cpuset("0-15").build(), by, kWithoutSizes);
    for (int i = 0; i < 3; ++i) loop.tick();
    ASSERT_TRUE(loop.cpus(loop.app(1)));
    EXPECT_EQ(loop.cpus(loop.app(1))->size(), 4U) << "3.4 CPUs";
    EXPECT_EQ(loop.out.all().size(), 1U) << "no quota, and the database is not touched";
    EXPECT_FALSE(suppress::is_left_alone(loop.node, loop.node.host_applications[1]));
  }
}

TEST(CpuSuppressApplications, TheRefusalOfRequestSizesTakesTheirQuota) {
  Loop loop(plain_machine().cpuset("0-15").build(), SuppressPolicy::cpuset, kWithSizes);
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(1)), 340000);
  EXPECT_FALSE(loop.cpus(loop.app(1)));
  loop.node.scheduler.request_sizes_refused = true;
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(1)), -1);
  EXPECT_TRUE(loop.cpus(loop.app(1)));
  loop.node.scheduler.request_sizes_refused = false;
  loop.tick();
  EXPECT_GT(loop.quota(loop.app(1)), 0);
  EXPECT_FALSE(loop.cpus(loop.app(1)));
}

// 10.4 CPUs are the threshold; 6 are the web service's, 1 the system's, and half of one is used by a batch
// service that nothing can limit.
TEST(CpuSuppressApplications, TheyRunOnTheDirectorysCpusAndWhoIsLeftAloneCountsAsAService) {
  auto builder = node().cpus(16).uses(8500_mcpu).pod("web").ls().uses(6000_mcpu);
  builder.besteffort().unlimited().uses(0_mcpu).cpuset("0-15");
  builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(1000_mcpu).unlimited().cpuset("0-15");
  builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(500_mcpu).unlimited();
  Loop loop(builder.build(), SuppressPolicy::cfs_quota, kWithoutSizes);
  loop.tick();
  const auto cpus = loop.cpus(*loop.node.cgroup(loop.node.besteffort));
  ASSERT_TRUE(cpus);
  EXPECT_EQ(cpus->size(), 3U) << "2.9 CPUs";
  EXPECT_EQ(loop.cpus(loop.app(0)), cpus);
  EXPECT_FALSE(loop.cpus(loop.app(1)));
  for (const auto& intent : loop.out.all()) EXPECT_NE(intent.knob, Knob::cpu_quota);
}

TEST(CpuSuppressApplications, WhileSomethingIsUnknownTheirCpusStay) {
  Loop loop(plain_machine().cpuset("0-15").build(), SuppressPolicy::cfs_quota, kWithoutSizes);
  loop.tick();
  loop.node.node.cpu_use.reset();
  loop.tick();
  EXPECT_TRUE(test::held(loop.out, loop.app(1).id, Knob::cpuset_cpus));
  EXPECT_EQ(loop.out.all().size(), 1U);
}

TEST(CpuSuppressApplications, WhatIsInsideOfOneRunsOnItsCpus) {
  auto builder = plain_machine().cpuset("0-15");
  builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).unlimited().cpuset("0-15");
  Loop loop(builder.build(), SuppressPolicy::cpuset, kWithoutSizes);
  loop.node.cgroups[static_cast<std::size_t>(loop.node.host_applications[2].cgroup)].parent =
      loop.node.host_applications[1].cgroup;
  loop.tick();
  ASSERT_TRUE(loop.cpus(loop.app(1)));
  EXPECT_EQ(loop.cpus(loop.app(2)), loop.cpus(loop.app(1)));
  EXPECT_EQ(loop.out.all().size(), 2U);
}

}  // namespace
}  // namespace evenkeel
