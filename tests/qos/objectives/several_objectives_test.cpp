// What best effort may have when more than one objective is in force, and they decide in turn.
#include <gtest/gtest.h>

#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using std::chrono::seconds;

/// Two objectives of a host application, both with a target of 100, beside best effort that uses 8 of 16 CPUs
/// and may have 4 from now on.
class SeveralObjectives : public testing::Test {
 protected:
  SeveralObjectives() {
    Objective one;
    one.name = one.host_application = "app-0";
    one.file = "/run/app-0";
    one.target = 100;
    slo_.evenkeel.objectives = {one, one};
    auto builder = test::node().cpus(16).uses(10'000_mcpu).besteffort().uses(8000_mcpu).quota(400'000);
    node_ = builder.host_app(QosClass::ls, HostAppBase::cgroup_root).uses(2000_mcpu).build();
    node_.at = MonoTime(seconds(1000));
    node_.objectives.resize(2);
  }
  /// What best effort may have after the next second, in which they report this.
  std::optional<MilliCpu> second(double one, std::optional<double> other) {
    node_.at += seconds(1);
    node_.since_previous = seconds(1);
    node_.objectives[0] = {one, node_.at};
    if (other) node_.objectives[1] = {other, node_.at};
    decide::Intents out;
    test::decide_one(objectives::objectives_policy, node_, slo_, state_, out);
    return fact().besteffort_cpu;
  }
  [[nodiscard]] const decide::ServiceObjectives& fact() const {
    return state_.shared.of<decide::ServiceObjectives>();
  }

  /// A round between two ticks: nothing is measured.
  void between_ticks() {
    node_.measured = false;
    decide::Intents out;
    test::decide_one(objectives::objectives_policy, node_, slo_, state_, out);
    node_.measured = true;
  }
  NodeSlo slo_{};
  NodeSnapshot node_{};
  decide::PolicyState state_{};
};

TEST_F(SeveralObjectives, GrowNoFasterThanOne) {
  second(50, 40);
  second(40, 50);
  const auto before = second(50, 40).value();
  for (int i = 0; i < 5; ++i) {
    second(40, 50);
    second(50, 40);
  }
  EXPECT_EQ(fact().besteffort_cpu, before + 3200_mcpu) << "2 % of 16 CPUs in each of ten seconds";
}

TEST_F(SeveralObjectives, DoNotMakeUpForTheTimeInWhichOneHeld) {
  second(10, 50);
  const auto before = second(10, 50).value();
  for (int i = 0; i < 60; ++i) EXPECT_EQ(second(90, 50), before);
  EXPECT_EQ(second(10, 50), before + 320_mcpu);
}

TEST_F(SeveralObjectives, AskForNoCutWithAFigureFromBeforeTheLastOne) {
  const auto cut = second(120, 110);
  EXPECT_EQ(second(50, {}), cut);
  EXPECT_EQ(fact().move, decide::ServiceObjectives::Move::shrink) << "the other one's figure is the same";
  EXPECT_LT(second(50, 110), cut);
}

TEST_F(SeveralObjectives, AFigureIsNotComparedWithTheTargetOfANewObjective) {
  const auto before = second(40, 40);
  slo_.evenkeel.objectives[0].target = 0.05;
  slo_.fingerprint += 1;
  between_ticks();
  EXPECT_EQ(fact().besteffort_cpu, before);
  EXPECT_NE(fact().move, decide::ServiceObjectives::Move::pause);
  second(0.01, 40);
  EXPECT_NE(fact().move, decide::ServiceObjectives::Move::pause);
}

TEST_F(SeveralObjectives, AnotherSettingIsNoNewObjective) {
  second(40, 40);
  slo_.fingerprint += 1;
  second(40, 40);
  EXPECT_TRUE(state_.of<objectives::ObjectivesState>().events.empty());
}

}  // namespace
}  // namespace evenkeel
