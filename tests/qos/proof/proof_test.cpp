// Which lever is withheld, when, and what is concluded from it.
#include <gtest/gtest.h>

#include "tests/qos/proof/quota_scene.h"

namespace evenkeel {
namespace {

using proof::Verdict;
using Scene = test::QuotaScene;
using std::chrono::seconds;

constexpr std::size_t kQuota = proof::kBesteffortQuota;

TEST(Proof, AQuotaThatHarmsIsWithdrawnWithinTenMinutesAndReplacedByTheCpuset) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Scene scene(seed);
    EXPECT_LE(scene.until_decided(3, 600), 600) << "seed " << seed;
    ASSERT_EQ(scene.verdict(), Verdict::harms);
    ASSERT_EQ(scene.events_.size(), 1U);
    EXPECT_EQ(scene.events_[0].lever, kQuota);
    scene.run(3, 1);
    EXPECT_FALSE(scene.wants(Knob::cpu_quota));
    EXPECT_TRUE(scene.wants(Knob::cpuset_cpus)) << "the substitute";
    const auto effect = scene.proof().evidence[kQuota].effect();
    ASSERT_TRUE(effect);
    EXPECT_GT(effect->ratio, 1.5);
    EXPECT_LT(effect->low, effect->ratio) << "few trials, so the interval is wide";
  }
}

TEST(Proof, WithoutTheRequestSizesThatHarmThereIsNoQuotaEither) {
  ASSERT_EQ(proof::levers()[proof::kRequestSizes].name, "request-size");
  Scene scene;
  scene.node_.scheduler = {.fair = FairScheduler::eevdf, .request_sizes = true};
  const auto ticks_with = [&](Knob knob) {
    int ticks = 0;
    for (int i = 0; i < 5; ++i) scene.tick(1), ticks += scene.wants(knob) ? 1 : 0;
    return ticks;
  };
  ASSERT_GE(ticks_with(Knob::cpu_quota), 4) << "a trial may take one";
  scene.state_.of<proof::ProofState>().evidence[proof::kRequestSizes].verdict = Verdict::harms;
  scene.run(1, 1);
  EXPECT_EQ(ticks_with(Knob::cpu_quota), 0);
  EXPECT_GE(ticks_with(Knob::cpuset_cpus), 4) << "the substitute";
}

TEST(Proof, ALeverThatHelpsStays) {
  Scene scene;
  EXPECT_LE(scene.until_decided(0.2, 1200), 1200);
  EXPECT_EQ(scene.verdict(), Verdict::helps);
  const int before = scene.withheld_;
  scene.run(20000, 0.2);
  EXPECT_LE(scene.withheld_ - before, 5) << "a 4000th of the time";
  EXPECT_GE(scene.withheld_ - before, 3) << "conditions change";
  EXPECT_EQ(scene.verdict(), Verdict::helps);
}

TEST(Proof, ALeverThatSeemsToHelpIsWithheldForAHalfPercentOfTheTime) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Scene scene(seed);
    int since = 0, after_first = 0;
    for (int i = 0; i < 3000 && scene.verdict() == Verdict::unknown; ++i) {
      const int before = scene.withheld_;
      scene.tick(0.2);
      ++since;
      if (scene.withheld_ == before) continue;
      if (before > 0 && scene.proof().evidence[kQuota].helps.wealth() > 2) ++after_first;
      EXPECT_TRUE(before == 0 || since > 200 - proof::kMostSpans) << "seed " << seed << ": after " << since;
      since = 0;
    }
    EXPECT_EQ(scene.verdict(), Verdict::helps);
    EXPECT_GE(after_first, 3) << "a test without a second trial is none";
  }
}

TEST(Proof, ALeverThatHelpedIsTriedWithoutARestOnceItIsSuspected) {
  Scene scene;
  EXPECT_LE(scene.until_decided(0.2, 1200), 1200);
  int took = 0;
  while (took < 100'000 && scene.verdict() != Verdict::harms) {
    scene.tick(4);
    ++took;
  }
  EXPECT_EQ(scene.verdict(), Verdict::harms);
  EXPECT_LT(took, 8000) << "one rest, and then some trials in a row";
}

TEST(Proof, WithdrawOffOnlyReports) {
  Scene scene;
  scene.slo_->evenkeel.proof.withdraw = false;
  EXPECT_LE(scene.until_decided(8, 600), 600);
  EXPECT_EQ(scene.verdict(), Verdict::harms);
  scene.run(2, 8);
  EXPECT_TRUE(scene.wants(Knob::cpu_quota));
}

TEST(Proof, WithholdsNoMoreThanItsBudget) {
  for (const int percent : {1, 2, 5}) {
    Scene scene;
    scene.slo_->evenkeel.proof.budget_percent = Percent(percent);
    int saved_up = 0;
    for (int minute = 0; minute < 60; ++minute) {
      scene.run(60, 1);
      if (minute == 19) saved_up = scene.withheld_;
    }
    EXPECT_LE(scene.withheld_, 36 * percent + 1) << percent << " % of an hour";
    EXPECT_GE(scene.withheld_, std::min(36 * percent - 2, 50)) << percent << " %";
    EXPECT_GE(saved_up, std::min(18 * percent - 1, 40)) << "the first half at once";
  }
}

TEST(Proof, WhatWasSpentBeforeARestartIsNotThereAnew) {
  Scene scene;
  scene.state_.of<proof::ProofState>().budget = Duration::zero();
  scene.run(90, 1);
  EXPECT_EQ(scene.withheld_, 0);
  scene.run(60, 1);
  EXPECT_EQ(scene.withheld_, 1) << "a second in 100";
}

TEST(Proof, AfterManyTrialsWithoutAFindingThereIsNoDifference) {
  Scene scene;
  scene.slo_->evenkeel.proof.budget_percent = Percent(20);
  scene.run(1600, 1);
  EXPECT_EQ(scene.verdict(), Verdict::no_difference);
  EXPECT_EQ(scene.proof().evidence[kQuota].run, 2);
  const auto effect = scene.proof().evidence[kQuota].effect();
  ASSERT_TRUE(effect);
  EXPECT_LT(effect->low, 1.05);
  EXPECT_GT(effect->high, 0.95);
}

TEST(Proof, TooFewWaitsSayNothing) {
  Scene scene;
  for (int i = 0; i < 500; ++i) scene.tick(8, 20);
  EXPECT_EQ(scene.proof().evidence[kQuota].trials, 0);
  EXPECT_EQ(scene.withheld_, 0);
}

TEST(Proof, WaitsAreMeasuredOnlyOnceALeverThatActsOnThemIsInForce) {
  Scene scene;
  scene.slo_->threshold.cpu_suppress_policy = SuppressPolicy::automatic;
  scene.run(5, 1);
  EXPECT_FALSE(scene.proof().compares_waits) << "suppression writes nothing";
  scene.slo_->threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  scene.run(1, 1);
  EXPECT_TRUE(scene.proof().compares_waits);
  scene.configure_otherwise();
  scene.slo_->threshold.cpu_suppress_policy = SuppressPolicy::automatic;
  scene.run(1, 1);
  EXPECT_FALSE(scene.proof().compares_waits);
}

TEST(Proof, StallForACpuCountsOnlyWhereWaitsAreNotMeasured) {
  Scene scene;
  scene.node_.run_queue.source = RunQueueSource::none;
  auto& pressure = scene.node_.cgroups[static_cast<std::size_t>(scene.node_.pods[0].cgroup)].pressure;
  pressure.cpu.emplace().some.total = seconds(5);
  proof::FeltBefore before;
  const auto stall = [&](RunQueueSource source) {
    scene.node_.run_queue.source = source;
    pressure.cpu->some.total += seconds(1);
    return felt(scene.node_, before)[static_cast<std::size_t>(proof::Feeling::cpu_stall)];
  };
  EXPECT_FALSE(stall(RunQueueSource::none)) << "nothing to compare with";
  EXPECT_EQ(stall(RunQueueSource::none), 1.0);
  EXPECT_FALSE(stall(RunQueueSource::bpf));
  EXPECT_FALSE(stall(RunQueueSource::none)) << "the time between is not this tick's";
}

TEST(Proof, AnotherConfigurationForgets) {
  Scene scene;
  ASSERT_LE(scene.until_decided(8, 600), 600);
  scene.configure_otherwise();
  scene.run(3, 8);
  EXPECT_EQ(scene.verdict(), Verdict::unknown);
  EXPECT_TRUE(scene.wants(Knob::cpu_quota));
}

TEST(Proof, IsOffUnlessEnabledAndWithHandsOff) {
  EXPECT_FALSE(proof::proof_policy.enabled(NodeSlo{}));
  Scene scene;
  scene.slo_->evenkeel.hands_off = true;
  scene.run(500, 8);
  EXPECT_EQ(scene.proof().moments, 0U);
}

TEST(Proof, TheReasonOfARestoreNamesTheTest) {
  Scene scene;
  for (int i = 0; i < 200 && scene.withheld_ == 0; ++i) scene.run(1, 1);
  ASSERT_EQ(scene.withheld_, 1);
  const Reason* why = scene.withheld_because();
  ASSERT_NE(why, nullptr);
  EXPECT_NE(why->text().find("proof withholds this lever"), std::string::npos);
  scene.run(1, 1);
  EXPECT_EQ(scene.withheld_because(), nullptr);
}

}  // namespace
}  // namespace evenkeel
