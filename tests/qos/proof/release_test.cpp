// Where services are shown to do without the quota of `auto`, best effort keeps the CPU.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/qos/proof/quota_scene.h"

namespace evenkeel {
namespace {

using proof::Verdict;
using std::chrono::minutes;

/// A kernel without EEVDF, on which `auto` is a quota.
class ProofRelease : public testing::Test {
 protected:
  ProofRelease() {
    scene.slo_->threshold.cpu_suppress_policy = SuppressPolicy::automatic;
    scene.slo_->evenkeel.proof.budget_percent = Percent(20);
    scene.node_.scheduler.fair = FairScheduler::cfs;
  }
  [[nodiscard]] bool released() const { return scene.proof().release.in_force; }
  /// Ticks without a difference until best effort is released, and in no trial; at most `most`.
  int until_released(int most = 60'000) {
    int took = 0;
    for (; took < most && (!released() || scene.proof().trial); ++took) scene.tick(1);
    return took;
  }
  /// In how many of the next ticks there is a quota.
  int with_quota(int ticks, double with_lever = 1) {
    int found = 0;
    for (int i = 0; i < ticks; ++i) {
      scene.tick(with_lever);
      found += scene.wants(Knob::cpu_quota) ? 1 : 0;
    }
    return found;
  }
  CgroupSample& directory() { return scene.node_.cgroups[static_cast<std::size_t>(scene.node_.besteffort)]; }

  test::QuotaScene scene{};
};

TEST_F(ProofRelease, WhereTheQuotaMakesNoDifferenceBestEffortKeepsTheCpu) {
  const int took = until_released();
  ASSERT_TRUE(released());
  EXPECT_GT(took, 600) << "the quota stays for ten minutes at least";
  EXPECT_EQ(scene.verdict(), Verdict::no_difference);
  EXPECT_GE(scene.proof().evidence[proof::kBesteffortQuota].effect()->low, 0.8);
  EXPECT_FALSE(scene.wants(Knob::cpu_quota));
  EXPECT_FALSE(scene.wants(Knob::cpuset_cpus)) << "no substitute";
  const auto before = scene.proof().evidence[proof::kBesteffortQuota].trials;
  const int found = with_quota(5000);
  EXPECT_GT(found, 3) << "trials go on";
  EXPECT_LT(found, 500) << "in single ticks";
  const auto more = scene.proof().evidence[proof::kBesteffortQuota].trials - before;
  EXPECT_LE(std::abs(more - found), 1) << more << " trials";
}

TEST_F(ProofRelease, TroubleBringsTheQuotaBackAtOnceForTenMinutesAndMore) {
  until_released();
  ASSERT_TRUE(released());
  scene.usual_us_ = 10'000;
  scene.tick(1);
  EXPECT_EQ(scene.proof().trouble, "run-queue wait");
  EXPECT_TRUE(scene.wants(Knob::cpu_quota));
  EXPECT_TRUE(scene.proof().release.changed);
  scene.usual_us_ = 100;
  EXPECT_GT(with_quota(590), 540) << "trials may take some";
  EXPECT_FALSE(released());
  EXPECT_LT(until_released(), 60'000);
}

TEST_F(ProofRelease, TroubleSoonAfterTheReleaseKeepsTheQuotaForTwiceAsLong) {
  until_released();
  scene.tick_in_trouble(true, false);
  EXPECT_FALSE(released());
  EXPECT_EQ(scene.proof().release.stays, minutes(20));
}

TEST_F(ProofRelease, TheBrakeAndObjectivesBringTheQuotaBack) {
  until_released();
  ASSERT_TRUE(released());
  scene.tick_in_trouble(true, false);
  EXPECT_TRUE(scene.wants(Knob::cpu_quota));
  until_released();
  ASSERT_TRUE(released());
  scene.tick_in_trouble(false, false);
  EXPECT_TRUE(scene.wants(Knob::cpu_quota)) << "an objective is in force";
}

TEST_F(ProofRelease, AQuotaThatBeginsToHelpIsFoundAndStays) {
  until_released();
  ASSERT_TRUE(released());
  int took = 0;
  for (; took < 20'000 && scene.verdict() != Verdict::helps; ++took) scene.tick(0.2);
  EXPECT_LT(took, 6000) << "a trial that suspects it is followed by others at once";
  EXPECT_TRUE(scene.wants(Knob::cpu_quota));
  EXPECT_GT(with_quota(5000, 0.2), 4950);
  EXPECT_FALSE(released());
}

TEST_F(ProofRelease, AQuotaThatBestEffortDoesNotReachProvesNothing) {
  directory().cpu_use = MilliCpu(100);
  scene.run(1000, 1);
  EXPECT_EQ(scene.proof().evidence[proof::kBesteffortQuota].trials, 0);
  EXPECT_EQ(scene.proof().standing[proof::kBesteffortQuota], proof::Standing::unknown);
  directory().cpu_use = MilliCpu(16'000);
  scene.run(1000, 1);
  EXPECT_GT(scene.proof().evidence[proof::kBesteffortQuota].trials, 5);
}

TEST_F(ProofRelease, AQuotaThatTheOperatorAsksForStays) {
  scene.slo_->threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  scene.run(3000, 1);
  EXPECT_EQ(scene.verdict(), Verdict::no_difference);
  EXPECT_TRUE(!released() && with_quota(5) >= 4);
}

TEST_F(ProofRelease, WhereVerdictsAreOnlyReportedTheQuotaStays) {
  scene.slo_->evenkeel.proof.withdraw = false;
  scene.run(3000, 1);
  EXPECT_EQ(scene.verdict(), Verdict::no_difference);
  EXPECT_TRUE(!released() && with_quota(5) >= 4);
}

TEST_F(ProofRelease, AnotherConfigurationEndsIt) {
  until_released();
  ASSERT_TRUE(released());
  scene.configure_otherwise();
  scene.tick(1);
  EXPECT_TRUE(scene.wants(Knob::cpu_quota));
}

TEST(ProofEvidence, OfTheOnlySpanWithTheLeverCountsTheOtherWayRound) {
  proof::Trial trial{.spans = 16, .withheld = 3, .given = true};
  trial.felt.fill(100e-6);
  EXPECT_TRUE(trial.withholds());
  trial.span = 3;
  EXPECT_FALSE(trial.withholds());
  trial.felt[3] = 20e-6;
  proof::Evidence better;
  proof::conclude(trial, better);
  EXPECT_GT(better.helps.wealth(), 1);
  EXPECT_LT(better.harms.wealth(), 1);
  EXPECT_LT(better.log_sum, -1.5);
  trial.felt[3] = 500e-6;
  proof::Evidence worse;
  proof::conclude(trial, worse);
  EXPECT_GT(worse.harms.wealth(), 1);
  EXPECT_GT(worse.log_sum, 1.5);
}

}  // namespace
}  // namespace evenkeel
