// One tick changes only so many files, and nothing is ever left half done that must be done as a whole.
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

constexpr const char* kBe = "kubepods/besteffort";

/// `pods` best-effort pods with a container each, besides the one that every node has; three changes a tick.
class Bounded : public ::testing::TestWithParam<bool>, public ExecutorNode {
 protected:
  explicit Bounded(executor::ExecutorOptions options = {.max_changes = 3})
      : ExecutorNode(GetParam(), options) {
    paths = {"kubepods/besteffort/pod1"};
    for (int pod = 2; pod <= 5; ++pod) {
      paths.push_back("kubepods/besteffort/pod" + std::to_string(pod));
      add(paths.back());
      add(paths.back() + "/ctr");
    }
  }
  /// Writes per tick until one has nothing to do. Nothing may be refused on the way.
  std::string writes_per_tick() {
    std::string out;
    for (int i = 0; i < 100; ++i) {
      const auto report = tick();
      EXPECT_TRUE(report.refusals.empty() && report.foreign.empty()) << kernel.taken();
      deferred.push_back(report.deferred);
      if (report.writes.empty()) return out;
      out += std::to_string(report.writes.size()) + " ";
    }
    return out + "without end";
  }
  [[nodiscard]] std::string shares_file() const { return GetParam() ? "cpu.weight" : "cpu.shares"; }
  std::vector<std::string> paths{};
  std::vector<std::size_t> deferred{};
};
class BoundedDryRun : public Bounded {
 protected:
  BoundedDryRun() : Bounded({.dry_run = true, .max_changes = 3}) {}
};

TEST_P(Bounded, TheRestFollowsInTheNextTicksInTheOrderOfThePlan) {
  for (const auto& path : paths) want(path, Knob::cpu_idle, std::int64_t{1});
  EXPECT_EQ(writes_per_tick(), "3 2 ");
  EXPECT_EQ(deferred, (std::vector<std::size_t>{2, 0, 0}));
  EXPECT_EQ(executor.counters().deferred, 2U);
  for (const auto& path : paths) EXPECT_EQ(kernel.text(path, "cpu.idle"), "1");
  EXPECT_EQ(executor.managed().size(), 10U) << "idle, and the shares that come back with it";
}

TEST_P(Bounded, NoPodWakesWithoutItsShares) {
  for (const auto& path : paths) kernel.at(path).shares = 20;
  const auto before = kernel.text(paths[0], shares_file());
  for (const auto& path : paths) want(path, Knob::cpu_idle, std::int64_t{1});
  writes_per_tick();
  plan.clear();
  for (std::size_t awake = 1; awake <= paths.size(); ++awake) {
    EXPECT_EQ(tick().deferred, 2 * (paths.size() - awake));
    for (std::size_t pod = 0; pod < awake; ++pod) EXPECT_EQ(kernel.text(paths[pod], shares_file()), before);
  }
  EXPECT_EQ(journal.size(), 0U);
}

TEST_P(Bounded, CpusetsMoveThroughLegalStates) {
  for (const char* list : {"0-1", "4-5", "1-6", "0-7"}) {
    plan.clear();
    want(kBe, Knob::cpuset_cpus, *CpuSet::parse(list));
    for (const auto& path : paths) {
      want(path, Knob::cpuset_cpus, *CpuSet::parse(list));
      want(path + "/ctr", Knob::cpuset_cpus, *CpuSet::parse(list));
    }
    writes_per_tick();
    for (const auto& path : paths) EXPECT_EQ(kernel.text(path + "/ctr", "cpuset.cpus"), list);
    EXPECT_EQ(kernel.text(kBe, "cpuset.cpus"), list);
  }
}

TEST_P(Bounded, AParentIsNarrowedWhenItsChildrenAre) {
  for (const auto& path : paths) kernel.at(path).quota_us = 400000;
  want(kBe, Knob::cpu_quota, std::int64_t{150000});
  EXPECT_EQ(writes_per_tick(), GetParam() ? "1 " : "3 3 ");
  EXPECT_EQ(kernel.at(kBe).quota_us, 150000);
  plan.clear();
  writes_per_tick();
  for (const auto& path : paths) EXPECT_EQ(kernel.at(path).quota_us, 400000);
  EXPECT_EQ(journal.size(), 0U);
}

TEST_P(Bounded, APlanThatChangesMeanwhileGoesOnFromWhereItIs) {
  for (const auto& path : paths) want(path, Knob::cpu_quota, std::int64_t{300000});
  tick();
  plan.clear();
  for (const auto& path : paths) want(path, Knob::cpu_quota, std::int64_t{200000});
  writes_per_tick();
  for (const auto& path : paths) EXPECT_EQ(kernel.at(path).quota_us, 200000);
  executor.restore_all(now);
  for (const auto& path : paths) EXPECT_EQ(kernel.at(path).quota_us, kernel::KernelGroup::kUnlimited);
}

TEST_P(Bounded, TheEndIsNotBounded) {
  for (const auto& path : paths) want(path, Knob::cpu_quota, std::int64_t{300000});
  writes_per_tick();
  const auto report = executor.restore_all(now);
  EXPECT_EQ(report.writes.size(), 5U);
  EXPECT_EQ(report.deferred, 0U);
  EXPECT_EQ(journal.size(), 0U);
}

TEST_P(Bounded, SeveralCallsAtOneMomentHaveOneBound) {
  for (const auto& path : paths) want(path, Knob::cpu_quota, std::int64_t{300000});
  EXPECT_EQ(tick().writes.size(), 3U);
  const auto again = executor.apply(plan, observe(), {});
  EXPECT_TRUE(again.writes.empty());
  EXPECT_EQ(again.deferred, 2U);
  EXPECT_EQ(tick().writes.size(), 2U);
}

TEST_P(Bounded, WhatTheKernelRefusesCostsNoRoom) {
  for (const auto& path : paths) want(path, Knob::cpu_quota, std::int64_t{300000});
  const std::string file = GetParam() ? "/cpu.max" : "/cpu.cfs_quota_us";
  kernel.fail_writes((GetParam() ? "sys/fs/cgroup/" : "sys/fs/cgroup/cpu/") + paths.back() + file, EIO);
  const auto report = tick();
  EXPECT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.writes.size(), 3U);
  EXPECT_EQ(report.deferred, 1U);
}

TEST_P(BoundedDryRun, SaysEachChangeOnce) {
  for (const auto& path : paths) want(path, Knob::cpu_quota, std::int64_t{300000});
  EXPECT_EQ(writes_per_tick(), "3 2 ");
  EXPECT_EQ(kernel.taken(), "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, Bounded, ::testing::Bool(),
                         [](const auto& v2) { return v2.param ? "v2" : "v1"; });
INSTANTIATE_TEST_SUITE_P(Kernels, BoundedDryRun, ::testing::Bool(),
                         [](const auto& v2) { return v2.param ? "v2" : "v1"; });

}  // namespace
}  // namespace evenkeel::test
