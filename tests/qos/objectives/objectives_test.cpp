// What best effort may have, by what services say of themselves.
#include "qos/objectives/objectives.h"

#include <gtest/gtest.h>

#include <utility>

#include "qos/registry.h"
#include "tests/support/scenes/intents.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using objectives::Standing;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Move = decide::ServiceObjectives::Move;

/// A service that is a host application, beside best effort that uses 8 of 16 CPUs. Its target is 100.
class Scene {
 public:
  Scene() {
    slo_.threshold.enable = true;
    slo_.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
    slo_.evenkeel.objectives = {objective("app-0")};
    auto builder = test::node().cpus(16).uses(10'000_mcpu).besteffort().uses(8000_mcpu).unlimited();
    node_ = builder.host_app(QosClass::ls, HostAppBase::cgroup_root).uses(2000_mcpu).build();
    node_.at = MonoTime(seconds(1000));
    node_.objectives.resize(1);
  }
  static Objective objective(const std::string& service) {
    Objective one;
    one.name = service;
    one.host_application = service;
    one.file = "/run/" + service;
    one.target = 100;
    return one;
  }
  /// The next second, in which the service reports this.
  const decide::ServiceObjectives& second(std::optional<double> figure) {
    pass();
    if (figure) node_.objectives[0] = {figure, node_.at};
    return decide();
  }
  const decide::ServiceObjectives& seconds_of(int count, std::optional<double> figure) {
    for (int i = 1; i < count; ++i) second(figure);
    return second(figure);
  }
  void pass() {
    node_.at += seconds(1);
    node_.since_previous = seconds(1);
  }
  const decide::ServiceObjectives& decide() {
    out_.clear();
    test::decide_one(objectives::objectives_policy, node_, slo_, state_, out_);
    EXPECT_TRUE(out_.all().empty()) << "it sets no lever itself";
    return fact();
  }
  /// The quota that suppression asks for; -1: none.
  std::int64_t suppressed() {
    out_.clear();
    test::decide_one(suppress::cpu_suppress_policy, node_, slo_, state_, out_);
    const auto quota = test::intended(out_, node_.cgroup(node_.besteffort)->id, Knob::cpu_quota);
    if (quota >= 0)
      node_.cgroups[static_cast<std::size_t>(node_.besteffort)].applied.cpu_limit->quota = QuotaTime(quota);
    return quota;
  }
  [[nodiscard]] std::string reason() const { return out_.all().empty() ? "" : out_.all().front().why.text(); }
  [[nodiscard]] const decide::ServiceObjectives& fact() const {
    return state_.shared.of<decide::ServiceObjectives>();
  }
  [[nodiscard]] const objectives::ObjectivesState& state() const {
    return state_.of<objectives::ObjectivesState>();
  }
  NodeSnapshot& node() { return node_; }
  NodeSlo& slo() { return slo_; }
  CgroupSample& service() {
    return node_.cgroups[static_cast<std::size_t>(node_.host_applications[0].cgroup)];
  }

 private:
  NodeSnapshot node_;
  NodeSlo slo_;
  decide::PolicyState state_{};
  decide::Intents out_{};
};

TEST(Objectives, WithRoomToSpareBestEffortMayHaveTheWholeNode) {
  Scene scene;
  const auto& fact = scene.second(50);
  EXPECT_TRUE(fact.in_force);
  EXPECT_EQ(fact.move, Move::grow);
  EXPECT_FALSE(fact.besteffort_cpu);
  EXPECT_EQ(fact.slack, 50_pct);
  EXPECT_EQ(scene.suppressed(), -1) << "the threshold of 65 % does not matter";
}

TEST(Objectives, GrowFromTheQuotaThatTheRulesLeft) {
  Scene scene;
  auto& dir = scene.node().cgroups[static_cast<std::size_t>(scene.node().besteffort)];
  dir.applied.cpu_limit->quota = quota_for(4000_mcpu, milliseconds(100));
  EXPECT_EQ(scene.second(50).besteffort_cpu, 4000_mcpu);
  EXPECT_EQ(scene.second(50).besteffort_cpu, 4320_mcpu) << "2 % of 16 CPUs in a second";
  EXPECT_FALSE(scene.seconds_of(60, 50).besteffort_cpu) << "up to the whole node";
}

TEST(Objectives, HoldWithLittleToSpare) {
  Scene scene;
  scene.second(110);
  const auto before = scene.fact().besteffort_cpu;
  const auto& fact = scene.seconds_of(20, 90);
  EXPECT_EQ(fact.move, Move::hold);
  EXPECT_EQ(fact.besteffort_cpu, before);
  EXPECT_EQ(scene.seconds_of(5, 80).move, Move::grow) << "the margin is 20 %";
  EXPECT_GT(fact.besteffort_cpu, before);
}

TEST(Objectives, CutAtOnceFromWhatBestEffortUses) {
  Scene scene;
  scene.second(50);
  const auto& fact = scene.second(100);
  EXPECT_EQ(fact.move, Move::shrink);
  EXPECT_EQ(fact.besteffort_cpu, 6400_mcpu) << "80 % of the 8 CPUs that it uses";
  EXPECT_EQ(scene.suppressed(), 640'000);
  EXPECT_NE(scene.reason().find("best effort is cut to 6.4 CPUs"), std::string::npos) << scene.reason();
}

TEST(Objectives, MakeRoomForOthersBeforeAFigureCanTell) {
  Scene scene;
  scene.node().node.cpu_use = 13'000_mcpu;
  scene.second(50);
  const auto cut = scene.second(110).besteffort_cpu;
  scene.node().node.cpu_use = 14'000_mcpu;
  EXPECT_EQ(scene.second({}).besteffort_cpu, *cut - 1000_mcpu);
  scene.node().node.cpu_use.reset();
  EXPECT_EQ(scene.second({}).besteffort_cpu, *cut - 1000_mcpu) << "unknown is not zero";
  scene.node().node.cpu_use = 12'000_mcpu;
  auto& use = scene.node().cgroups[static_cast<std::size_t>(scene.node().besteffort)].cpu_use;
  const auto known = std::exchange(use, std::nullopt);
  EXPECT_EQ(scene.second({}).besteffort_cpu, *cut - 1000_mcpu) << "neither is what best effort uses";
  use = known;
  EXPECT_EQ(scene.second({}).besteffort_cpu, *cut + 1000_mcpu) << "they need less";
}

TEST(Objectives, CutOnceForEachFigure) {
  Scene scene;
  scene.second(110);
  const auto once = scene.fact().besteffort_cpu;
  EXPECT_EQ(scene.second({}).besteffort_cpu, once) << "the same figure";
  EXPECT_LT(scene.second(110).besteffort_cpu, once);
}

TEST(Objectives, PauseFarBeyondTheTargetAndComeBackSlowly) {
  Scene scene;
  scene.second(50);
  const auto& fact = scene.second(150);
  EXPECT_EQ(fact.move, Move::pause);
  EXPECT_EQ(fact.besteffort_cpu, 0_mcpu);
  EXPECT_EQ(scene.suppressed(), 2000) << "the least that it gets";
  EXPECT_NE(scene.reason().find("best effort pauses at 0.02 CPUs"), std::string::npos) << scene.reason();
  EXPECT_EQ(scene.seconds_of(9, 20).move, Move::pause) << "for ten seconds";
  EXPECT_EQ(scene.second(20).move, Move::grow);
  EXPECT_LE(*scene.seconds_of(3, 20).besteffort_cpu, 1600_mcpu);
}

TEST(Objectives, AStaleFigureLeavesTheRules) {
  Scene scene;
  scene.second(150);
  scene.suppressed();
  EXPECT_TRUE(scene.seconds_of(10, {}).in_force) << "staleAfter is ten seconds";
  const auto& fact = scene.second({});
  EXPECT_FALSE(fact.in_force);
  EXPECT_FALSE(fact.besteffort_cpu);
  EXPECT_EQ(scene.state().each[0].standing, Standing::unknown);
  ASSERT_EQ(scene.state().events.size(), 1U);
  EXPECT_EQ(scene.state().events[0].standing, Standing::unknown);
  scene.suppressed();
  EXPECT_NE(scene.reason().find("threshold"), std::string::npos) << scene.reason();
  scene.second({});
  EXPECT_TRUE(scene.state().events.empty()) << "said once";
}

TEST(Objectives, AFigureOfTheFutureIsNone) {
  Scene scene;
  scene.node().objectives[0] = {50, scene.node().at + seconds(100)};
  EXPECT_FALSE(scene.second({}).in_force);
}

TEST(Objectives, WhileOneIsUnknownBestEffortGetsNoMoreThanTheRules) {
  Scene scene;
  scene.slo().evenkeel.objectives.push_back(Scene::objective("app-0"));
  scene.node().objectives.resize(2);
  const auto& fact = scene.second(50);
  EXPECT_TRUE(fact.in_force && fact.some_unknown);
  EXPECT_EQ(scene.suppressed(), 840'000) << "65 % of 16 CPUs, less 2 of services";
  EXPECT_NE(scene.reason().find("threshold"), std::string::npos) << scene.reason();
  scene.second(110);
  scene.suppressed();
  EXPECT_NE(scene.reason().find("best effort is cut to"), std::string::npos)
      << "less than the rules is possible: " << scene.reason();
}

TEST(Objectives, OfAServiceThatDoesNotRunHereSayNothing) {
  Scene scene;
  scene.slo().evenkeel.objectives[0].host_application = "elsewhere";
  EXPECT_FALSE(scene.second(500).in_force);
  EXPECT_EQ(scene.state().each[0].standing, Standing::absent);
  EXPECT_TRUE(scene.state().events.empty());
}

TEST(Objectives, TheTightestOneDecides) {
  Scene scene;
  scene.slo().evenkeel.objectives.push_back(Scene::objective("app-0"));
  scene.slo().evenkeel.objectives[1].margin_percent = 60_pct;
  scene.node().objectives.resize(2);
  scene.pass();
  scene.node().objectives = {{70, scene.node().at}, {50, scene.node().at}};
  EXPECT_EQ(scene.decide().move, Move::hold) << "the second one has more to spare, and a larger margin";
  EXPECT_EQ(scene.fact().slack, 50_pct);
}

TEST(Objectives, NameWhatTheServiceWaitsForMost) {
  Scene scene;
  auto& pressure = scene.service().pressure;
  pressure.cpu = Pressure{.some = {.avg10_percent = 4}};
  pressure.io = Pressure{.some = {.avg10_percent = 9}};
  EXPECT_EQ(scene.second(110).stall, Stall::io);
  scene.suppressed();
  EXPECT_NE(scene.reason().find("waits for disks"), std::string::npos) << scene.reason();
  pressure.io->some.avg10_percent = 2;
  EXPECT_EQ(scene.second(110).stall, Stall::cpu);
  pressure = {};
  EXPECT_EQ(scene.second(110).stall, Stall::none);
}

TEST(Objectives, OfAServiceThatWaitsForMemoryTakeMemoryFirst) {
  Scene scene;
  scene.service().pressure.memory = Pressure{.some = {.avg10_percent = 9}};
  scene.slo().evenkeel.memory_push_back.enable = true;
  scene.node().node.memory = NodeMemory{.total = 16384_MiB, .available = 8192_MiB, .free = 1024_MiB};
  scene.second(50);
  const auto& fact = scene.second(110);
  EXPECT_TRUE(fact.memory_is_short());
  EXPECT_FALSE(fact.besteffort_cpu) << "its CPU is not cut";
  scene.seconds_of(9, 110);
  EXPECT_FALSE(scene.fact().besteffort_cpu);
  EXPECT_TRUE(scene.second(110).besteffort_cpu) << "it did not help within ten seconds";
}

TEST(Objectives, CutTheCpuAtOnceWhereNoMemoryCanBeTaken) {
  Scene scene;
  scene.service().pressure.memory = Pressure{.some = {.avg10_percent = 9}};
  EXPECT_TRUE(scene.second(110).besteffort_cpu) << "push-back is off";
  scene.seconds_of(60, 20);
  scene.slo().evenkeel.memory_push_back.enable = true;
  scene.node().node.memory = NodeMemory{.total = 16384_MiB, .available = 12288_MiB, .free = 8192_MiB};
  ASSERT_FALSE(scene.second(20).besteffort_cpu);
  EXPECT_TRUE(scene.second(110).besteffort_cpu) << "half of the memory is free";
}

TEST(Objectives, OnEevdfBestEffortIsLimitedOnlyInTrouble) {
  Scene scene;
  scene.slo().threshold.cpu_suppress_policy = SuppressPolicy::automatic;
  scene.node().scheduler = {.fair = FairScheduler::eevdf, .request_sizes = true};
  scene.second(50);
  EXPECT_EQ(scene.suppressed(), -1);
  scene.second(110);
  EXPECT_EQ(scene.suppressed(), 640'000);
  scene.seconds_of(11, {});
  EXPECT_EQ(scene.suppressed(), -1) << "the rule there is the weight alone";
}

TEST(Objectives, DecideOnlyOnFreshMeasurements) {
  Scene scene;
  scene.second(50);
  scene.node().measured = false;
  scene.node().objectives[0] = {150, scene.node().at};
  EXPECT_EQ(scene.decide().move, Move::grow);
}

}  // namespace
}  // namespace evenkeel
