// What trouble of services does to trials.
#include <gtest/gtest.h>

#include "tests/qos/proof/quota_scene.h"

namespace evenkeel {
namespace {

using proof::Verdict;
using Scene = test::QuotaScene;

TEST(Proof, NothingIsTriedWhileTheBrakeActsOrAnObjectiveIsMissed) {
  Scene scene;
  scene.run(10, 1);
  const auto withheld_in = [&](int ticks, bool brakes, bool misses) {
    const int before = scene.withheld_;
    for (int i = 0; i < ticks; ++i) scene.tick_in_trouble(brakes, misses);
    return scene.withheld_ - before;
  };
  EXPECT_EQ(withheld_in(590, true, false), 0);
  EXPECT_EQ(scene.proof().trouble, "brake");
  EXPECT_GT(withheld_in(1000, false, false), 10);
  EXPECT_EQ(scene.proof().trouble, "");
  withheld_in(1, false, true);  // a trial may have withheld the lever just before
  EXPECT_EQ(withheld_in(590, false, true), 0);
  EXPECT_EQ(scene.proof().trouble, "objective");
}

TEST(Proof, NothingIsTriedWhileServicesWaitFarMoreThanUsual) {
  Scene scene;
  scene.slo_->evenkeel.proof.budget_percent = Percent(20);
  scene.run(300, 1);
  ASSERT_GT(scene.withheld_, 3);
  EXPECT_EQ(scene.proof().trouble, "");
  scene.usual_us_ = 10'000;
  scene.run(1, 1);
  const int before = scene.withheld_;
  scene.run(100, 1);
  EXPECT_EQ(scene.withheld_, before);
  EXPECT_EQ(scene.proof().trouble, "run-queue wait") << "no other policy knows of it";
  EXPECT_FALSE(scene.proof().trial);
  scene.usual_us_ = 100;
  scene.run(300, 1);
  EXPECT_EQ(scene.proof().trouble, "");
  EXPECT_GT(scene.withheld_, before + 3);
}

TEST(Proof, TheTimeUnderHandsOffIsNoSingleTick) {
  Scene scene;
  scene.run(100, 1);
  ASSERT_FALSE(scene.proof().before.waits.empty());
  scene.slo_->evenkeel.hands_off = true;
  scene.run(1, 1);
  EXPECT_TRUE(scene.proof().before.waits.empty()) << "what services felt meanwhile is not compared";
}

TEST(Proof, WhatLastsIsUsual) {
  Scene scene;
  scene.run(100, 1);
  scene.usual_us_ = 1000;
  scene.run(20, 1);
  EXPECT_EQ(scene.proof().trouble, "run-queue wait");
  scene.run(480, 1);
  EXPECT_EQ(scene.proof().trouble, "");
}

TEST(Proof, ALeverThatHarmsIsFoundThoughItKeepsTheBrakeBusy) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Scene scene(seed);
    int took = 0;
    for (; took < 3600 && scene.verdict() == Verdict::unknown; ++took) {
      scene.tick_in_trouble(true, false, 3);
      if (took < 600) {
        ASSERT_EQ(scene.withheld_, 0) << "it may be trouble that the lever eases";
      }
    }
    EXPECT_EQ(scene.verdict(), Verdict::harms) << "seed " << seed;
    EXPECT_LE(took, 1200) << "ten minutes, and then as if there was no trouble";
  }
}

TEST(Proof, ATrialThatWaitedForQuietTimesEndsThePatience) {
  Scene scene;
  for (int i = 0; i < 590; ++i) scene.tick_in_trouble(true, false);
  for (int i = 0; i < 100; ++i) scene.tick_in_trouble(false, false);
  const int before = scene.withheld_;
  ASSERT_GT(before, 1);
  scene.tick_in_trouble(true, false);
  for (int i = 0; i < 590; ++i) scene.tick_in_trouble(true, false);
  EXPECT_LE(scene.withheld_, before + 1) << "ten minutes anew";
}

TEST(Proof, ALeverWithoutWhichServicesAreInTroubleIsFoundToHelp) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Scene scene(seed);
    scene.usual_us_ = 5000;
    int cut = 0;
    for (int i = 0; i < 3000 && scene.verdict() == Verdict::unknown; ++i) {
      const bool withheld = scene.proof().trial && scene.proof().trial->withholds();
      scene.tick(0.01);
      cut += withheld && !scene.proof().trial && !scene.proof().trouble.empty() ? 1 : 0;
    }
    EXPECT_EQ(scene.verdict(), Verdict::helps) << "seed " << seed;
    EXPECT_GE(cut, 3) << "the trials are cut short, but not forgotten";
  }
}

TEST(Proof, ATrialThatIsCutShortHasTheSpansUpToTheTrouble) {
  const auto conclude = [](proof::Trial trial) {
    proof::Evidence one;
    trial.felt = {0.1, 0.1, 0.1, 0.1, 0.1};
    if (proof::cut_short(trial)) proof::conclude(trial, one);
    return one;
  };
  const auto without = conclude({.spans = 16, .withheld = 4, .span = 4});
  EXPECT_EQ(without.trials, 1);
  EXPECT_GT(without.helps.wealth(), 1);
  EXPECT_LT(without.harms.wealth(), 1);
  EXPECT_EQ(without.logs, 0) << "what the last span would have been is not known";
  const auto with = conclude({.spans = 16, .withheld = 2, .span = 4});
  EXPECT_EQ(with.trials, 1);
  EXPECT_LT(with.helps.wealth(), 1) << "at least one span with the lever was worse";
  EXPECT_EQ(conclude({.spans = 16, .withheld = 5, .span = 4}).trials, 0) << "the lever was in force";
  EXPECT_EQ(conclude({.spans = 16, .withheld = 0, .span = 0}).trials, 0) << "nothing to compare it with";
  const auto late = conclude({.spans = 8, .ticks = 10, .withheld = 3, .span = 4, .tick = 1});
  EXPECT_GT(late.helps.wealth(), 1) << "the trouble was left behind by the span before";
}

}  // namespace
}  // namespace evenkeel
