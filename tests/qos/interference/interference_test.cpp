// Who hurts whom, from the snapshots of a node: waits are planted, and the right one is found, limited, and
// let go.
#include "qos/interference/interference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/scenes/waiting_scene.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using namespace std::chrono_literals;

using Scene = WaitingScene;

constexpr Duration kLearn = 20min;
using What = interference::InterferenceEvent::What;

TEST(Interference, ACleanNodeAccusesNoPod) {
  Scene scene;
  scene.run(2h, {.busy = 0.02});
  EXPECT_EQ(scene.events(What::accused), 0U);
  ASSERT_EQ(scene.state().victims.size(), 1U);
  EXPECT_EQ(scene.state().victims[0].cgroup, scene.container(0));
  EXPECT_NEAR(scene.state().victims[0].stalled_by_others_seconds[0], 0.02 * 7200, 10);
  for (const interference::Unit& unit : scene.state().units) {
    const double charged = unit.cgroup == scene.pod(2) ? 0.02 * 7200 : 0;
    EXPECT_NEAR(unit.charged_seconds[0], charged, 10);
    EXPECT_NEAR(unit.recent_charges.sum(scene.node_.at)[0], charged, 10);
  }
}

TEST(Interference, WhoHasTheCpuThatTheServiceWaitsForIsNamedAndLimited) {
  Scene scene;
  scene.run(kLearn, {.busy = 0.02});
  scene.run(50s, {.hog = 0.4, .busy = 0.02});
  ASSERT_EQ(scene.state().accusations.size(), 1U);
  const interference::Accusation& one = scene.state().accusations.front();
  EXPECT_EQ(one.suspect, scene.pod(1));
  EXPECT_EQ(one.signal, Signal::run_queue_wait);
  EXPECT_GT(one.verdict.blame_share.value_or(0), 0.8);
  // A quarter of 0.5 CPUs, per 100 ms; the innocent keep what they have.
  EXPECT_EQ(scene.quota_of(scene.pod(1)), 12'500);
  EXPECT_EQ(scene.quota_of(scene.pod(2)), std::nullopt);
  EXPECT_EQ(scene.quota_of(scene.pod(3)), std::nullopt);
}

TEST(Interference, ALimitThatHelpsStaysForItsLeaseAndOneThatDoesNotIsTakenBack) {
  for (const bool helps : {true, false}) {
    Scene scene;
    scene.run(kLearn, {.busy = 0.02});
    for (int i = 0; i < 60 && scene.events(What::capped) == 0; ++i) scene.run(1s, {.hog = 0.4, .busy = 0.02});
    ASSERT_EQ(scene.events(What::capped), 1U);
    scene.run(40s, {.hog = helps ? 0.0 : 0.4, .busy = 0.02});
    EXPECT_EQ(scene.events(What::relieved), helps ? 1U : 0U);
    EXPECT_EQ(scene.events(What::not_relieved), helps ? 0U : 1U);
    EXPECT_EQ(scene.quota_of(scene.pod(1)).has_value(), helps);
    // A suspect that was cleared is not limited again.
    scene.run(6min, {.hog = helps ? 0.0 : 0.4, .busy = 0.02});
    EXPECT_EQ(scene.quota_of(scene.pod(1)), std::nullopt);
    EXPECT_EQ(scene.events(What::capped), 1U);
  }
}

// A victim is limited for because it is worse than usual, so on the average it gets better by itself.
TEST(Interference, ALimitThatIsNotInForceHasNotHelped) {
  Scene scene;
  scene.obeys_ = false;
  scene.run(kLearn, {.busy = 0.02});
  for (int i = 0; i < 60 && scene.events(What::capped) == 0; ++i) scene.run(1s, {.hog = 0.4, .busy = 0.02});
  ASSERT_EQ(scene.events(What::capped), 1U);
  scene.run(40s, {.busy = 0.02});
  EXPECT_EQ(scene.events(What::relieved), 0U);
  EXPECT_TRUE(scene.state().confirmed.empty());
  scene.run(1min, {.busy = 0.02});
  EXPECT_EQ(scene.quota_of(scene.pod(1)), std::nullopt) << "nothing is known of it: it is taken back";
  EXPECT_EQ(scene.events(What::not_relieved), 0U) << "it was not measured, so it is not cleared";
  EXPECT_EQ(scene.events(What::released), 1U);
}

TEST(Interference, ALimitRaisesNoQuota) {
  Scene scene;
  CgroupSample* job = nullptr;
  for (CgroupSample& each : scene.node_.cgroups)
    if (each.id == scene.container(1)) job = &each;
  job->applied.cpu_limit->quota = QuotaTime(5'000);
  scene.run(kLearn, {.busy = 0.02});
  scene.run(50s, {.hog = 0.4, .busy = 0.02});
  ASSERT_EQ(scene.quota_of(scene.pod(1)), 12'500);
  EXPECT_EQ(job->applied.cpu_limit->quota, QuotaTime(5'000)) << "its owner gave it that";
}

// Each window is closed by the first tick after its end, which comes a little early or late.
TEST(Interference, ATickThatIsEarlyLosesNoSample) {
  Scene scene;
  std::mt19937 random(3);
  std::uniform_int_distribution<int> late(0, 900);
  std::int64_t last = 0;
  std::size_t samples = 0;
  for (int i = 0; i < 1200; ++i) {
    scene.node_.at = MonoTime(std::chrono::seconds(1000 + i) + std::chrono::microseconds(late(random)) - 1s);
    scene.run(1s, {.busy = 0.02});
    const auto newest = scene.state().victims[0].of(Signal::run_queue_wait).series().newest();
    samples += newest != last ? 1 : 0;
    last = newest;
  }
  EXPECT_GE(samples, 118U) << "of 120 windows";
}

TEST(Interference, LongWindowsFindAsWell) {
  Scene scene;
  scene.slo_.evenkeel.interference.stall_window = 2min;
  scene.run(4h, {.busy = 0.02});
  for (int i = 0; i < 1200 && scene.events(What::capped) == 0; ++i) scene.run(1s, {.hog = 0.4, .busy = 0.02});
  ASSERT_EQ(scene.events(What::capped), 1U);
  scene.run(5min, {.busy = 0.02});
  EXPECT_EQ(scene.events(What::not_relieved), 0U);
  EXPECT_EQ(scene.events(What::relieved), 1U) << "two samples take four minutes and more";
}

// The window that is being filled has another number then, and what is usual for two seconds is not what is
// usual for ten.
TEST(Interference, WindowsOfAnotherLengthBeginAnew) {
  Scene scene;
  scene.run(kLearn, {.busy = 0.02});
  ASSERT_TRUE(scene.state().victims[0].of(Signal::run_queue_wait).model().normal().has_value());
  scene.slo_.evenkeel.interference.stall_window = 20s;
  scene.run(1min, {.busy = 0.02});
  const auto& watch = scene.state().victims[0].of(Signal::run_queue_wait);
  EXPECT_FALSE(watch.model().normal().has_value());
  EXPECT_TRUE(watch.series().at(watch.series().newest()).has_value());
  EXPECT_GT(scene.state().workloads[0].stalled_lately.sum(scene.node_.at)[0], 20) << "the account goes on";
}

// It began to be blamed when most of the window was over: no task waited for it before that.
TEST(Interference, BlameThatBeginsLateInAWindowCountsForWhatItIs) {
  Scene scene;
  scene.run(kLearn, {.busy = 0.02});
  while (scene.node_.at.time_since_epoch() % 10s != 7s) scene.run(1s, {.busy = 0.02});
  scene.run(2s, {.hog = 0.4, .busy = 0.02});
  scene.run(2s, {.busy = 0.02});
  const auto pair = std::ranges::find(scene.state().pairs, scene.pod(1), &interference::BlamePair::unit);
  ASSERT_NE(pair, scene.state().pairs.end());
  EXPECT_NEAR(pair->blame.at(pair->blame.newest()).value_or(0), 0.08, 0.03);
}

TEST(Interference, NothingIsWrittenUnlessItMayAct) {
  Scene scene;
  scene.slo_.evenkeel.interference.act = false;
  scene.run(kLearn, {.busy = 0.02});
  scene.run(2min, {.hog = 0.4, .busy = 0.02});
  EXPECT_EQ(scene.events(What::accused), 1U);
  EXPECT_EQ(scene.events(What::capped), 0U);
  EXPECT_EQ(scene.quota_of(scene.pod(1)), std::nullopt);
}

TEST(Interference, WaitingForOnesOwnTasksAccusesNoPod) {
  Scene scene;
  scene.run(kLearn, {.busy = 0.02});
  scene.run(5min, {.busy = 0.02, .own = 0.5});
  EXPECT_EQ(scene.events(What::accused), 0U);
}

TEST(Interference, HandsOffAndLivenessAreRespected) {
  Scene scene;
  scene.run(kLearn, {.busy = 0.02}, 120_mcpu);
  scene.run(50s, {.hog = 0.4, .busy = 0.02}, 120_mcpu);
  EXPECT_EQ(scene.quota_of(scene.pod(1)), 10'000);  // a tenth of a CPU, not a quarter of 0.12
  Scene other;
  other.pod_sample(1).hands_off = true;
  other.run(kLearn, {.busy = 0.02});
  other.run(2min, {.hog = 0.4, .busy = 0.02});
  EXPECT_EQ(other.events(What::accused), 1U);
  EXPECT_EQ(other.quota_of(other.pod(1)), std::nullopt);
}

TEST(Interference, WhatWasNotMeasuredIsNoSample) {
  Scene scene;
  scene.node_.run_queue.source = RunQueueSource::none;
  scene.run(kLearn, {});
  ASSERT_EQ(scene.state().victims.size(), 1U);
  for (const detector::VictimWatch& watch : scene.state().victims[0].watch)
    EXPECT_TRUE(watch.series().empty());
}

TEST(Interference, BySchedstatWhoIsNotListedWasNotMeasured) {
  Scene scene;
  scene.node_.run_queue.source = RunQueueSource::schedstat;
  scene.run(kLearn, {.own = 0.1});
  const auto& watch = scene.state().victims[0].of(Signal::run_queue_wait);
  EXPECT_NEAR(watch.model().usual(), 0.1, 0.02);
  const auto newest = watch.series().newest();
  scene.run(5min, {.listed = false});
  EXPECT_LE(scene.state().victims[0].of(Signal::run_queue_wait).series().newest(), newest + 1)
      << "no sample is no zero";
  EXPECT_NEAR(watch.model().usual(), 0.1, 0.02);
}

}  // namespace
}  // namespace evenkeel::test
