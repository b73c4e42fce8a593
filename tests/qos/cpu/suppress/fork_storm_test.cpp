// `auto` on an EEVDF kernel keeps best effort that starts processes all the time off some CPUs.
#include <gtest/gtest.h>

#include "qos/cpu/suppress/suppress.h"
#include "tests/support/scenes/intents.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// What best effort does.
struct Work {
  int percent_in_kernel = 0;
  std::int64_t tasks_per_cpu_second = 0;
};
constexpr Work kForks{90, 4000}, kComputes{0, 0};

/// A node of EEVDF with a service and best effort.
class Scene {
 public:
  explicit Scene(int cpus, MilliCpu service = 500_mcpu, MilliCpu best_effort = 1500_mcpu) {
    const std::string all = "0-" + std::to_string(cpus - 1);
    auto builder = test::node().cpus(cpus).uses(service + best_effort);
    builder.besteffort().cpuset(all.c_str()).uses(best_effort);
    snapshot_ = builder.pod("web").ls().uses(service).build();
    snapshot_.scheduler.fair = FairScheduler::eevdf;
    slo_.threshold.enable = true;
  }
  Scene& runs(int ticks, const Work& work) {
    for (int i = 0; i < ticks; ++i) {
      auto& sample = best_effort();
      const std::int64_t used = sample.cpu_use->count();
      snapshot_.at += seconds(1);
      in_kernel_ += milliseconds(used) * work.percent_in_kernel / 100;
      started_ += used * work.tasks_per_cpu_second / 1000;
      sample.system_time = readable ? std::optional(in_kernel_) : std::nullopt;
      snapshot_.node.tasks_started = started_;
      out_.clear();
      test::decide_one(suppress::cpu_suppress_policy, snapshot_, slo_, state_, out_);
      if (const auto* found = intent())
        sample.applied.cpus = sample.applied.cpus_effective = std::get<CpuSet>(found->value);
    }
    return *this;
  }
  /// Empty: nothing limits best effort.
  [[nodiscard]] std::string cpus() { return intent() != nullptr ? text(intent()->value) : ""; }
  [[nodiscard]] std::string why() { return intent() != nullptr ? intent()->why.text() : ""; }
  void best_effort_uses(MilliCpu cpu) {
    snapshot_.node.cpu_use = *snapshot_.node.cpu_use - *best_effort().cpu_use + cpu;
    best_effort().cpu_use = cpu;
  }
  NodeSlo& slo() { return slo_; }
  NodeSnapshot& snapshot() { return snapshot_; }
  decide::PolicyState& state() { return state_; }
  bool readable = true;

 private:
  CgroupSample& best_effort() { return snapshot_.cgroups[static_cast<std::size_t>(snapshot_.besteffort)]; }
  const decide::Intent* intent() { return test::intent(out_, best_effort().id, Knob::cpuset_cpus); }

  NodeSnapshot snapshot_{};
  NodeSlo slo_{};
  decide::PolicyState state_{};
  decide::Intents out_{};
  Duration in_kernel_{};
  std::int64_t started_ = 1000000;
};

TEST(ForkStorm, BestEffortIsKeptOffCpus) {
  Scene scene(2);
  EXPECT_EQ(scene.runs(10, kForks).cpus(), "") << "ten seconds have not passed";
  EXPECT_EQ(scene.runs(2, kForks).cpus(), "0");
  EXPECT_EQ(
      scene.why(),
      "best effort keeps to 1 CPU: 90 % of its CPU time is in the kernel, where services have to wait for "
      "it, and the node starts 4000 processes in each second of that time; services use 0.5 CPUs, the "
      "system 0 CPUs, and have a quarter more, at least a CPU");
}

TEST(ForkStorm, ServicesHaveAQuarterMoreThanTheyUseAndAtLeastOneCpuMore) {
  EXPECT_EQ(Scene(16, 2000_mcpu, 14000_mcpu).runs(12, kForks).cpus(), "0-12");  // 16 - 2 - 1
  EXPECT_EQ(Scene(16, 8000_mcpu, 8000_mcpu).runs(12, kForks).cpus(), "0-5");    // 16 - 8 - 2
  EXPECT_EQ(Scene(16, 15000_mcpu, 1000_mcpu).runs(12, kForks).cpus(), "0-1");
}

TEST(ForkStorm, BestEffortKeepsItsConfiguredMinimum) {
  Scene scene(16, 15000_mcpu, 1000_mcpu);
  scene.slo().threshold.cpu_suppress_min_percent = 50_pct;
  EXPECT_EQ(scene.runs(12, kForks).cpus(), "0-7");
}

TEST(ForkStorm, BestEffortThatComputesOrReadsFilesHasAllCpus) {
  EXPECT_EQ(Scene(2).runs(60, kComputes).cpus(), "");
  EXPECT_EQ(Scene(2).runs(60, {.percent_in_kernel = 29, .tasks_per_cpu_second = 4000}).cpus(), "");
  EXPECT_EQ(Scene(2).runs(60, {.percent_in_kernel = 95, .tasks_per_cpu_second = 499}).cpus(), "");
}

TEST(ForkStorm, BestEffortHasAllCpusAgainWhenItIsOver) {
  Scene scene(2);
  EXPECT_EQ(scene.runs(12, kForks).cpus(), "0");
  EXPECT_EQ(scene.runs(30, {.percent_in_kernel = 16, .tasks_per_cpu_second = 260}).cpus(), "0") << "not yet";
  EXPECT_EQ(scene.runs(21, kComputes).cpus(), "");
}

TEST(ForkStorm, WhereServicesFindAnIdleCpuBestEffortHasAllCpus) {
  EXPECT_EQ(Scene(2, 500_mcpu, 50_mcpu).runs(30, kForks).cpus(), "");
  EXPECT_EQ(Scene(2, 500_mcpu, 1000_mcpu).runs(30, kForks).cpus(), "") << "two thirds of what is left";
}

TEST(ForkStorm, LastsWhileBestEffortUsesMostOfItsCpus) {
  Scene scene(2);
  EXPECT_EQ(scene.runs(12, kForks).cpus(), "0");
  scene.best_effort_uses(700_mcpu);
  EXPECT_EQ(scene.runs(30, kForks).cpus(), "0");
  scene.best_effort_uses(400_mcpu);
  EXPECT_EQ(scene.runs(30, kForks).cpus(), "");
}

TEST(ForkStorm, WithoutServicesNothingWaits) { EXPECT_EQ(Scene(2, 0_mcpu).runs(30, kForks).cpus(), ""); }

TEST(ForkStorm, AsLongAsItCannotBeReadNothingChanges) {
  Scene scene(2);
  scene.readable = false;
  EXPECT_EQ(scene.runs(30, kForks).cpus(), "");
  scene.readable = true;
  EXPECT_EQ(scene.runs(12, kForks).cpus(), "0");
  scene.readable = false;
  EXPECT_EQ(scene.runs(30, kComputes).cpus(), "0");
}

TEST(ForkStorm, OnlyAutoFollowsItOnEveryKernel) {
  for (const FairScheduler fair : {FairScheduler::cfs, FairScheduler::unknown}) {
    Scene scene(2);
    scene.snapshot().scheduler.fair = fair;
    EXPECT_EQ(scene.runs(12, kForks).cpus(), "0");
  }
  Scene by_cpuset(2);
  by_cpuset.slo().threshold.cpu_suppress_policy = SuppressPolicy::cpuset;
  EXPECT_EQ(by_cpuset.runs(30, kForks).cpus(), "0-1") << "at least two, as this policy says";
}

TEST(ForkStorm, AnObjectiveThatLeavesBestEffortTheNodeOutranksIt) {
  Scene scene(2);
  EXPECT_EQ(scene.runs(12, kForks).cpus(), "0");
  scene.state().shared.of<decide::ServiceObjectives>().in_force = true;
  EXPECT_EQ(scene.runs(12, kForks).cpus(), "");
}

TEST(ForkStorm, AWindowBeginsAnewWhereACounterFalls) {
  auto snapshot = test::node().cpus(2).uses(2000_mcpu).besteffort().uses(2000_mcpu).build();
  auto& sample = snapshot.cgroups[static_cast<std::size_t>(snapshot.besteffort)];
  suppress::ForkStorm storm;
  const auto see = [&](Duration passed, Duration in_kernel, std::int64_t started) {
    snapshot.at += passed;
    sample.system_time = in_kernel;
    snapshot.node.tasks_started = started;
    suppress::watch_forks(snapshot, storm);
  };
  see(seconds(1), seconds(100), 1000);
  see(seconds(60), seconds(160), 121000);  // the agent stood still for a minute
  EXPECT_EQ(storm.in_kernel, 50_pct);
  EXPECT_EQ(storm.tasks_per_cpu_second, 1000);
  EXPECT_TRUE(storm.on);
  see(seconds(60), seconds(1), 121000);  // another directory of this name
  EXPECT_TRUE(storm.on);
  EXPECT_EQ(storm.in_kernel, 50_pct);
}

}  // namespace
}  // namespace evenkeel
