// Best effort in several places: the allowance is that of the worked examples, here is what becomes of it.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "qos/cpu/suppress/suppress.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;
using test::node;

NodeSlo policy(SuppressPolicy by) {
  NodeSlo slo;
  slo.threshold.enable = true;
  slo.threshold.cpu_suppress_policy = by;
  return slo;
}

/// 16 CPUs and no kubelet: a database (LS), and batch services whose settings follow.
test::SnapshotBuilder plain_machine(MilliCpu database) {
  return node()
      .cpus(16)
      .without_besteffort()
      .uses(database + 1000_mcpu)  // the system: 1 CPU
      .host_app(QosClass::ls, HostAppBase::cgroup_root)
      .uses(database)
      .unlimited();
}

/// Ticks of one second on a node that applies every intent.
struct Loop {
  NodeSnapshot node;
  NodeSlo slo;
  decide::PolicyState state{};
  decide::Intents out{};

  explicit Loop(const NodeSnapshot& snapshot, SuppressPolicy by = SuppressPolicy::cfs_quota)
      : node(snapshot), slo(policy(by)) {}
  void tick() {
    out.clear();
    test::decide_one(suppress::cpu_suppress_policy, node, slo, state, out);
    test::obey(node, out);
    node.at += seconds(1);
  }
  void ticks(int count) {
    while (count-- > 0) tick();
  }
  CgroupSample& app(std::size_t index) {
    return node.cgroups[static_cast<std::size_t>(node.host_applications[index].cgroup)];
  }
  CgroupSample& directory() { return node.cgroups[static_cast<std::size_t>(node.besteffort)]; }
  std::int64_t quota(const CgroupSample& sample) const {
    return test::intended(out, sample.id, Knob::cpu_quota);
  }
  std::string why(const CgroupSample& sample) const {
    const decide::Intent* found = test::intent(out, sample.id, Knob::cpu_quota);
    return found ? found->why.text() : "no intent";
  }
};

TEST(CpuSuppressShared, APlainMachinesBatchServiceGetsAllThatServicesLeaveUnderBothPolicies) {
  for (const auto by : {SuppressPolicy::cfs_quota, SuppressPolicy::cpuset}) {
    auto builder = plain_machine(6000_mcpu);
    Loop loop(builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).unlimited().build(), by);
    loop.tick();
    EXPECT_EQ(loop.quota(loop.app(1)), 340000) << "65 % of 16 CPUs less 6 and 1";
    EXPECT_EQ(loop.out.all().size(), 1U) << "the database is not touched";
    EXPECT_EQ(
        loop.why(loop.app(1)),
        "its part is 3.4 CPUs of the 3.4 CPUs that best effort may use in several places: 10.4 CPUs of 16 "
        "CPUs are the threshold, services use 6 CPUs, the system 1 CPU");
  }
}

TEST(CpuSuppressShared, ARiseOfServicesCutsInTheSameTickAndTheFloorIsKept) {
  auto builder = plain_machine(4000_mcpu);
  Loop loop(builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).unlimited().build());
  loop.ticks(30);
  loop.app(0).cpu_use = 8000_mcpu;
  loop.node.node.cpu_use = 9000_mcpu;
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(1)), 140000);
  loop.node.node.cpu_use = 14000_mcpu;
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(1)), 2000) << "never nothing";
  loop.slo.threshold.cpu_suppress_min_percent = 10_pct;
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(1)), 2000) << "rises are slow";
  loop.ticks(70);
  EXPECT_EQ(loop.quota(loop.app(1)), 160000);
}

TEST(CpuSuppressShared, TheOwnersLimitIsNeverExceededAndComesBackToTheMicrosecond) {
  auto builder = plain_machine(4000_mcpu);
  Loop loop(builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).quota(200333).build());
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(1)), 200333);
  EXPECT_EQ(loop.why(loop.app(1)).substr(0, 30), "its own limit, 2.004 CPUs, is ");
  loop.node.node.cpu_use = 9900_mcpu;  // half a CPU is left
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(1)), 50000);
  loop.node.node.cpu_use = 5000_mcpu;
  loop.ticks(70);
  EXPECT_EQ(loop.quota(loop.app(1)), 200333);
}

TEST(CpuSuppressShared, ATighterLimitThatTheOwnerSetsMeanwhileCountsToo) {
  auto builder = plain_machine(4000_mcpu);
  Loop loop(builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).unlimited().build());
  loop.ticks(3);
  ASSERT_EQ(loop.quota(loop.app(1)), 540000);
  loop.app(1).applied.cpu_limit->quota = QuotaTime(100000);
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(1)), 100000);
  loop.ticks(70);
  EXPECT_EQ(loop.quota(loop.app(1)), 100000) << "only its owner lifts it";
  loop.app(1).applied.cpu_limit->quota.reset();
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(1)), 540000);
}

test::SnapshotBuilder with_directory() {
  return node().cpus(16).uses(7000_mcpu).pod("web").ls().uses(6000_mcpu).besteffort().unlimited().uses(
      0_mcpu);
}

TEST(CpuSuppressShared, DirectoryAndServiceShareOneAllowance) {
  auto builder = with_directory();
  Loop loop(builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).unlimited().build());
  loop.tick();
  EXPECT_EQ(loop.quota(loop.directory()) + loop.quota(loop.app(0)), 340000);
  // The service fills its part, no other group is there: after the dwell time it has nearly all.
  loop.app(0).cpu_use = 1700_mcpu;
  loop.node.node.cpu_use = 8700_mcpu;
  loop.ticks(11);
  EXPECT_EQ(loop.quota(loop.app(0)), 318800);
  EXPECT_EQ(loop.quota(loop.directory()), 21200) << "an eighth of half of it, to wake with";
  // A batch pod wakes and fills that: it was asleep when parts were made, so it need not wait for twice as
  // much until it has half of an even part. From there on there is time.
  const auto both_are_full = [&] {
    loop.app(0).cpu_use = MilliCpu(loop.quota(loop.app(0)) / 100);
    loop.directory().cpu_use = MilliCpu(loop.quota(loop.directory()) / 100);
    loop.node.node.cpu_use = 7000_mcpu + *loop.app(0).cpu_use + *loop.directory().cpu_use;
    loop.tick();
  };
  both_are_full();
  EXPECT_EQ(loop.quota(loop.directory()), 63600);
  both_are_full();
  EXPECT_EQ(loop.quota(loop.directory()), 148400);
  both_are_full();
  EXPECT_EQ(loop.quota(loop.directory()), 148400);
  for (int second = 0; second < 10; ++second) both_are_full();
  EXPECT_EQ(loop.quota(loop.directory()), 170000);
  EXPECT_EQ(loop.quota(loop.app(0)), 170000);
}

TEST(CpuSuppressShared, UnderCpusetTheDirectorysPartIsWholeCpus) {
  auto builder = with_directory().cpuset("0-15");
  Loop loop(builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).unlimited().build(),
            SuppressPolicy::cpuset);
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(0)), 170000);
  EXPECT_EQ(loop.quota(loop.directory()), -1);
  const decide::Intent* cpus = test::intent(loop.out, loop.directory().id, Knob::cpuset_cpus);
  ASSERT_NE(cpus, nullptr);
  EXPECT_EQ(std::get<CpuSet>(cpus->value).size(), 2U) << "1.7 CPUs";
}

TEST(CpuSuppressShared, HoldsEverythingWhileItDoesNotKnow) {
  auto builder = with_directory();
  Loop loop(builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).unlimited().build());
  loop.node.node.cpu_use.reset();
  loop.tick();
  EXPECT_TRUE(test::held(loop.out, loop.directory().id, Knob::cpu_quota));
  EXPECT_TRUE(test::held(loop.out, loop.app(0).id, Knob::cpu_quota));
  loop.node.node.cpu_use = 7000_mcpu;
  loop.directory().applied.cpu_limit.reset();
  loop.tick();
  ASSERT_EQ(loop.out.all().size(), 2U);
  for (const decide::Intent& intent : loop.out.all())
    EXPECT_EQ(intent.why.text(), "held: the BestEffort directory's quota cannot be read");
  loop.directory().applied.cpu_limit = CpuLimit{};
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(0)), 170000);
}

TEST(CpuSuppressShared, ARestartedServiceNeitherRunsFreeNorCutsTheOthers) {
  auto builder = plain_machine(4000_mcpu).host_app(QosClass::be, HostAppBase::cgroup_root).uses(2700_mcpu);
  builder.unlimited().host_app(QosClass::be, HostAppBase::cgroup_root).uses(2700_mcpu).unlimited();
  Loop loop(builder.build());
  loop.node.node.cpu_use = 10400_mcpu;
  loop.ticks(30);
  ASSERT_EQ(loop.quota(loop.app(1)), 270000);
  loop.app(1).id = CgroupId{77};  // a new life: nothing of it is measured, the node's use still holds the old
  loop.app(1).cpu_use.reset();
  loop.app(1).applied.cpu_limit = CpuLimit{};
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(1)), 270000);
  EXPECT_EQ(loop.quota(loop.app(2)), 270000);
  loop.app(1).cpu_use = 2700_mcpu;
  loop.ticks(5);
  EXPECT_EQ(loop.quota(loop.app(1)), 270000);
}

TEST(CpuSuppressShared, AServiceAroundABatchServiceIsCountedWithoutIt) {
  auto builder = plain_machine(6000_mcpu);
  Loop loop(builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(3000_mcpu).unlimited().build());
  loop.app(1).parent = loop.node.host_applications[0].cgroup;
  loop.app(0).cpu_use = 9000_mcpu;  // 6 of its own
  loop.node.node.cpu_use = 10000_mcpu;
  loop.tick();
  EXPECT_EQ(loop.quota(loop.app(1)), 340000);
}

TEST(CpuSuppressShared, WhenTheLastServiceIsGoneTheDirectoryGoesOnAlone) {
  auto builder = with_directory();
  Loop loop(builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).unlimited().build());
  loop.tick();
  ASSERT_EQ(loop.quota(loop.directory()), 170000);
  loop.node.host_applications.clear();
  loop.ticks(60);
  EXPECT_EQ(loop.quota(loop.directory()), 330000) << "340000 is nearer than is worth a change";
  EXPECT_TRUE(loop.state.of<suppress::CpuSuppressState>().shares.empty());
}

/// How often the quotas of all places together change in the worst ten seconds after a minute.
int max_changes(Loop& loop, int minutes, const std::function<void()>& noise) {
  std::vector<int> changed;
  for (int tick = 0; tick < minutes * 60; ++tick) {
    noise();
    const auto before = loop.node;
    loop.tick();
    bool any = false;
    for (std::size_t i = 0; i < before.cgroups.size(); ++i)
      any = any || before.cgroups[i].applied.cpu_limit != loop.node.cgroups[i].applied.cpu_limit;
    if (any && tick > 60) changed.push_back(tick);
  }
  int worst = 0;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    int inside = 0;
    for (std::size_t j = i; j < changed.size() && changed[j] - changed[i] < 10; ++j) ++inside;
    worst = std::max(worst, inside);
  }
  return worst;
}

// Services and places waver by 2 % of the node; each place uses what it wants or what it may. One that is
// nearly asleep may be found full by chance, and does not wait: that is the exception.
TEST(CpuSuppressShared, NoiseHardlyEverChangesThePartsTwiceInTenSeconds) {
  int restless = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    const auto roll = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    auto builder = with_directory();
    builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).unlimited();
    builder.host_app(QosClass::be, HostAppBase::cgroup_root).uses(0_mcpu).unlimited();
    Loop loop(builder.build());
    const std::int64_t service = roll(1000, 6000);
    const std::array<std::int64_t, 3> wants = {roll(0, 9000), roll(0, 9000), roll(0, 9000)};
    const auto noise = [&] {
      MilliCpu all = 1000_mcpu;  // the system
      const std::array<CgroupSample*, 3> places = {&loop.directory(), &loop.app(0), &loop.app(1)};
      for (std::size_t i = 0; i < places.size(); ++i) {
        const auto& limit = *places[i]->applied.cpu_limit;
        const MilliCpu want(std::max<std::int64_t>(wants[i] + roll(-320, 320), 0));
        places[i]->cpu_use = limit.quota ? std::min(want, cpu_of(*limit.quota, limit.period)) : want;
        all += *places[i]->cpu_use;
      }
      auto& web = loop.node.cgroups[static_cast<std::size_t>(loop.node.pods[0].cgroup)];
      web.cpu_use = MilliCpu(service + roll(-320, 320));
      loop.node.node.cpu_use = all + *web.cpu_use;
    };
    if (max_changes(loop, 5, noise) > 1) ++restless;
  }
  EXPECT_LE(restless, 3);
}

}  // namespace
}  // namespace evenkeel
