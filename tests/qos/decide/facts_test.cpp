// Each fact on its way from the policy that publishes it to the one that reads it.
#include <gtest/gtest.h>

#include "qos/eviction/state.h"
#include "tests/support/scenes/brake_scene.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;
using test::decide_one;
using test::intended;
using test::node;

struct Machine {
  explicit Machine(const test::SnapshotBuilder& builder) : node(builder.build()) {
    node.at = MonoTime{} + seconds(100);
    node.since_previous = seconds(1);
    node.reclaim.on_demand = true;
    node.node.memory = NodeMemory{.total = 8192_MiB, .available = 4096_MiB};
  }
  template <class Fact>
  Fact& fact() {
    return state.shared.of<Fact>();
  }
  [[nodiscard]] CgroupId besteffort() const { return node.cgroup(node.besteffort)->id; }
  [[nodiscard]] CgroupId pod(std::size_t i = 0) const { return node.cgroup(node.pods[i].cgroup)->id; }
  [[nodiscard]] CgroupId container(std::size_t i = 0) const {
    return node.cgroup(node.containers[i].cgroup)->id;
  }
  CgroupSample& sample(CgroupId id) { return *std::ranges::find(node.cgroups, id, &CgroupSample::id); }
  template <class Policy>
  void decide(const Policy& policy) {
    out.clear();
    decide_one(policy, node, slo, state, out);
  }
  std::vector<ReclaimOrder> reclaim() {
    std::vector<ReclaimOrder> orders;
    memory::decide_reclaim(node, slo, state.memory_reclaim, memory::ReclaimFacts(state.shared), orders);
    return orders;
  }
  NodeSnapshot node;
  NodeSlo slo{};
  decide::PolicyState state{};
  decide::Intents out{};
};

test::SnapshotBuilder throttled_service() {
  return node()
      .cpus(64)
      .uses(8000_mcpu)
      .pod("web")
      .ls()
      .quota(200000)
      .container("a")
      .limit(2000_mcpu)
      .quota(200000)
      .uses(2000_mcpu)
      .throttled(5);
}

TEST(Facts, BurstPublishesTheQuotasThatItHasRaised) {
  Machine machine(throttled_service());
  machine.decide(burst::cpu_burst_policy);
  EXPECT_EQ(machine.fact<decide::BurstQuotas>(), decide::BurstQuotas{}) << "burst is not configured";
  machine.slo.cpu_burst.policy = BurstPolicy::automatic;
  machine.decide(burst::cpu_burst_policy);
  EXPECT_EQ(machine.fact<decide::BurstQuotas>().containers, std::vector{machine.container()});
  EXPECT_EQ(machine.fact<decide::BurstQuotas>().raised_pods, std::vector{machine.pod()});
}

TEST(Facts, BurstPublishesAQuotaThatCannotBeRead) {
  Machine machine(throttled_service());
  machine.slo.cpu_burst.policy = BurstPolicy::cpu_burst_only;
  machine.decide(burst::cpu_burst_policy);
  EXPECT_TRUE(machine.fact<decide::BurstQuotas>().containers.empty()) << "the quota stays as it is";
  machine.sample(machine.container()).applied.cpu_limit = CpuLimit{std::nullopt, Duration{}};
  machine.decide(burst::cpu_burst_policy);
  EXPECT_EQ(machine.fact<decide::BurstQuotas>().containers, std::vector{machine.container()});
}

TEST(Facts, NormalizationLeavesBurstsQuotasAlone) {
  Machine machine(throttled_service());
  machine.slo.evenkeel.cpu_normalization = true;
  machine.node.object.cpu_normalization_ratio = 2;
  machine.decide(burst::cpu_normalization_policy);
  EXPECT_EQ(intended(machine.out, machine.container(), Knob::cpu_quota), 100000);
  EXPECT_EQ(intended(machine.out, machine.pod(), Knob::cpu_quota), 100000);
  machine.fact<decide::BurstQuotas>().containers = {machine.container()};
  machine.decide(burst::cpu_normalization_policy);
  EXPECT_EQ(intended(machine.out, machine.container(), Knob::cpu_quota), -1);
  EXPECT_EQ(intended(machine.out, machine.pod(), Knob::cpu_quota), 100000);
  machine.fact<decide::BurstQuotas>().raised_pods = {machine.pod()};
  machine.decide(burst::cpu_normalization_policy);
  EXPECT_TRUE(machine.out.all().empty());
}

/// Best effort has 4000 MiB, the node is short of memory.
Machine short_of_memory() {
  Machine machine(node().v2().besteffort().pod("web").ls());
  machine.slo.evenkeel.memory_push_back.enable = true;
  machine.node.node.memory = NodeMemory{.total = 8192_MiB, .available = 10_MiB, .free = 10_MiB};
  CgroupSample& besteffort = machine.sample(machine.besteffort());
  besteffort.applied.plain.set(Knob::memory_min, 0);
  besteffort.applied.plain.set(Knob::memory_low, 0);
  besteffort.applied.plain.set(Knob::memory_high, kPlainMax);
  besteffort.memory.current = 4000_MiB;
  besteffort.memory.anonymous = 100_MiB;
  return machine;
}

TEST(Facts, PushBackPublishesWhatBestEffortMayHaveAndReclaimTakesTheRest) {
  Machine machine = short_of_memory();
  machine.decide(memory::memory_push_back_policy);
  EXPECT_EQ(machine.fact<decide::PushedBackMemory>().target, 3800_MiB);
  auto orders = machine.reclaim();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].target, machine.besteffort());
  EXPECT_EQ(orders[0].cause, ReclaimCause::push_back);
  EXPECT_EQ(orders[0].down_to, 3800_MiB);
  machine.node.node.memory.reset();
  machine.decide(memory::memory_push_back_policy);
  EXPECT_EQ(machine.fact<decide::PushedBackMemory>().target, 3800_MiB) << "what is not known changes nothing";
}

TEST(Facts, ReclaimGoesByTheLowerOfPushBackAndBrake) {
  Machine machine = short_of_memory();
  machine.fact<decide::BrakeInForce>().memory = 3000_MiB;
  EXPECT_EQ(machine.reclaim().at(0).down_to, 3000_MiB);
  machine.fact<decide::PushedBackMemory>().target = 2000_MiB;
  EXPECT_EQ(machine.reclaim().at(0).down_to, 2000_MiB);
  machine.fact<decide::BrakeInForce>() = {.cpu = true};
  machine.fact<decide::PushedBackMemory>() = {};
  EXPECT_TRUE(machine.reclaim().empty());
}

TEST(Facts, TheBrakePublishesWhatIsInForceUntilTheLeaseEnds) {
  test::BrakeScene scene;
  const auto& in_force = scene.state.shared.of<decide::BrakeInForce>();
  scene.intent_on(scene.alarm());
  EXPECT_TRUE(in_force.cpu);
  EXPECT_EQ(in_force.memory, std::nullopt);
  scene.intent_on(scene.alarm(Contended::memory), Knob::memory_high);
  EXPECT_TRUE(in_force.cpu);
  EXPECT_EQ(in_force.memory, 3800_MiB);
  eviction::EvictionUse use;
  eviction::take_facts(eviction::EvictionFacts(scene.state.shared), use);
  EXPECT_TRUE(use.braked) << "no pod is evicted because the brake has cut best effort";
  scene.intent(Knob::cpu_quota, seconds(3));
  EXPECT_EQ(in_force, decide::BrakeInForce{});
  scene.intent_on(scene.alarm());
  scene.slo.evenkeel.hands_off = true;
  scene.intent();
  EXPECT_EQ(in_force, decide::BrakeInForce{});
}

TEST(Facts, AfterABrakeSuppressionGoesOnFromTheAllowanceBeforeIt) {
  Machine machine(node().cpus(64).uses(1000_mcpu).besteffort().quota(4'000'000));
  machine.slo.threshold.enable = true;
  machine.slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  const auto suppress = [&](bool braked) {
    machine.fact<decide::BrakeInForce>().cpu = braked;
    machine.node.at += seconds(1);
    machine.decide(suppress::cpu_suppress_policy);
    return intended(machine.out, machine.besteffort(), Knob::cpu_quota);
  };
  const auto before = suppress(false);
  ASSERT_GE(before, 4'000'000);
  machine.sample(machine.besteffort()).applied.cpu_limit->quota = QuotaTime(100'000);
  EXPECT_GE(suppress(true), before) << "what the brake has set is no allowance";
  EXPECT_GE(suppress(true), before);
}

TEST(Facts, ReclaimTakesWhatAnAntagonistHasAboveItsLimit) {
  Machine machine(node().v2().besteffort().pod("hog").be());
  machine.sample(machine.pod()).memory.current = 500_MiB;
  machine.sample(machine.pod()).memory.anonymous = 100_MiB;
  machine.fact<decide::MemoryLimits>().limits = {{machine.pod(), 400_MiB}};
  const auto orders = machine.reclaim();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].target, machine.pod());
  EXPECT_EQ(orders[0].cause, ReclaimCause::interference);
  EXPECT_EQ(orders[0].wanted, 100_MiB);
}

/// On a machine that can share out its cache.
Machine with_cache() {
  Machine machine(node().cpus(8).besteffort().pod("hog").be().container("job"));
  machine.node.resctrl = std::make_shared<const ResctrlSystem>(
      ResctrlSystem{{{.name = "L3", .unit = ResctrlUnit::ways, .full = 0x7ff, .domains = {0}}}, 8, 0});
  return machine;
}

TEST(Facts, ResctrlPutsAnAntagonistIntoTheLimitedGroup) {
  Machine machine = with_cache();
  machine.decide(cache::resctrl_policy);
  EXPECT_TRUE(std::as_const(machine.out).resctrl().groups().empty());
  machine.fact<decide::CacheLimits>().antagonists = {machine.pod()};
  machine.decide(cache::resctrl_policy);
  const auto& plan = std::as_const(machine.out).resctrl();
  ASSERT_EQ(plan.groups().size(), 1U);
  EXPECT_EQ(plan.groups()[0].name, decide::kLimitedGroup);
  ASSERT_EQ(plan.members().size(), 1U);
}

TEST(Facts, ResctrlReadsALimitOneTickLater) {
  Machine machine = with_cache();
  machine.slo.evenkeel.interference.enable = machine.slo.evenkeel.interference.act = true;
  const auto groups = [&] {
    machine.out.clear();
    decide::decide_all(machine.node, machine.slo, machine.state, machine.out);
    machine.node.at += seconds(1);
    return std::as_const(machine.out).resctrl().groups().size();
  };
  EXPECT_EQ(groups(), 0U);
  auto& interference = machine.state.of<interference::InterferenceState>();
  interference.victims.push_back({.cgroup = CgroupId{1}});
  interference.caps = {{.suspect = machine.pod(),
                        .victim = CgroupId{1},
                        .limit = {.remedy = interference::Remedy::cache},
                        .since = machine.node.at}};
  interference.caps[0].after.begin(1, machine.node.at);
  EXPECT_EQ(groups(), 0U) << "decided before interference has published it";
  EXPECT_EQ(groups(), 1U);
  machine.slo.evenkeel.interference.enable = false;
  EXPECT_EQ(groups(), 1U) << "withdrawn in this tick";
  EXPECT_EQ(groups(), 0U);
}

TEST(Facts, ARestartOfInterferenceWithdrawsWhatItHasPublished) {
  Machine machine = with_cache();
  using Policy = interference::InterferencePolicy;
  auto& state = machine.state.of<interference::InterferenceState>();
  machine.slo.evenkeel.interference.enable = true;
  decide::decide_all(machine.node, machine.slo, machine.state, machine.out);
  EXPECT_EQ(machine.fact<decide::WatchedCgroups>().best_effort,
            (std::vector{machine.pod(), machine.container()}));
  interference::restart(machine.node, machine.slo.evenkeel.interference, state,
                        Policy::Facts(machine.state.shared));
  EXPECT_EQ(machine.fact<decide::WatchedCgroups>(), decide::WatchedCgroups{});
  EXPECT_TRUE(state.units.empty());
  EXPECT_EQ(state.stall_window, machine.slo.evenkeel.interference.stall_window);
  decide::decide_all(machine.node, machine.slo, machine.state, machine.out);
  EXPECT_EQ(machine.fact<decide::WatchedCgroups>().best_effort.size(), 2U);
}

TEST(Facts, SuppressionAndBrakeRememberTogetherWhatChildrenHad) {
  test::BrakeScene scene(node()
                             .cpus(16)
                             .uses(4000_mcpu)
                             .besteffort()
                             .unlimited()
                             .pod("batch")
                             .be()
                             .quota(800000)
                             .pod("cart")
                             .ls()
                             .uses(3000_mcpu)
                             .container("main"));
  scene.slo.threshold.enable = true;
  scene.slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  const auto& narrowed = scene.state.shared.of<decide::NarrowedChildren>();
  decide_one(suppress::cpu_suppress_policy, scene.node, scene.slo, scene.state, scene.out);
  ASSERT_EQ(narrowed.children.size(), 1U);
  const auto by_suppression = narrowed.children.begin()->second;
  EXPECT_EQ(by_suppression.original, QuotaTime(800000));
  EXPECT_LT(by_suppression.requested, QuotaTime(800000));
  scene.node.alarms = {scene.alarm()};
  decide_one(brake::brake_policy, scene.node, scene.slo, scene.state, scene.out);
  const auto by_brake = narrowed.children.begin()->second;
  EXPECT_EQ(by_brake.original, QuotaTime(800000));
  EXPECT_LT(by_brake.requested, by_suppression.requested);
}

}  // namespace
}  // namespace evenkeel
