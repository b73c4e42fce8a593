// Which lever is withheld, when, and what is concluded from it.
#include "qos/proof/proof.h"

#include <gtest/gtest.h>

#include <random>

#include "qos/registry.h"
#include "tests/support/scenes/intents.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using proof::Verdict;
using std::chrono::seconds;

constexpr std::size_t kQuota = 0;

/// A service beside a best-effort pod under suppression by quota, in ticks of a second. What the service
/// waits is random, and `with_lever` times as long while the lever was in force.
class Scene {
 public:
  explicit Scene(unsigned seed = 1) : random_(seed) {
    slo_->threshold.enable = true;
    slo_->threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
    slo_->evenkeel.proof.enable = true;
    auto builder = test::node().cpus(16).uses(8000_mcpu).besteffort().unlimited().cpuset("0-15");
    builder.pod("shop").ls().uses(2000_mcpu).container("web").uses(2000_mcpu);
    builder.pod("job")
        .be()
        .uses(4000_mcpu)
        .unlimited()
        .cpuset("0-15")
        .container("main")
        .uses(4000_mcpu)
        .cpuset("0-15");
    node_ = builder.build();
    node_.slo = slo_;
    node_.run_queue.source = RunQueueSource::bpf;
    node_.at = MonoTime(seconds(1000));
  }

  /// What the next tick measures. The kernel does what the intents of the tick before said.
  void measure(double with_lever, std::int64_t waits) {
    node_.at += seconds(1);
    node_.since_previous = seconds(1);
    const double wait_us = 100 * std::exp(noise_(random_)) * (in_force_ ? with_lever : 1);
    for (std::int64_t i = 0; i < waits; ++i)
      ++histogram_[static_cast<std::size_t>(
          std::max(0.0, std::ceil(std::log2(wait_us * (i % 50 == 0 ? 2 : 0.5)))))];
    const auto waited = std::chrono::duration_cast<Duration>(
        std::chrono::duration<double, std::micro>(wait_us * static_cast<double>(waits)));
    node_.run_queue.waits = {{service(), waited, waits, histogram_}};
  }
  void tick(double with_lever, std::int64_t waits = 1000) {
    measure(with_lever, waits);
    intents_.clear();
    decide::decide_all(node_, *slo_, state_, intents_);
    in_force_ = wants(Knob::cpu_quota);
    withheld_ += in_force_ ? 0 : 1;
    for (const auto& event : proof().events) events_.push_back(event);
  }
  void run(int ticks, double with_lever) {
    for (int i = 0; i < ticks; ++i) tick(with_lever);
  }
  /// How many ticks pass until the verdict on the quota; at most `most`.
  int until_decided(double with_lever, int most) {
    for (int i = 1; i <= most; ++i) {
      tick(with_lever);
      if (verdict() != Verdict::unknown) return i;
    }
    return most + 1;
  }
  void configure_otherwise() { ++slo_->fingerprint; }

  [[nodiscard]] bool wants(Knob knob) const {
    return std::ranges::any_of(intents_.all(), [&](const auto& intent) { return intent.knob == knob; });
  }
  [[nodiscard]] const Reason* withheld_because() const {
    const auto* how = intents_.withheld(test::rank_of("cpu-suppress"));
    return how == nullptr ? nullptr : &how->why;
  }
  [[nodiscard]] const proof::ProofState& proof() const { return state_.of<proof::ProofState>(); }
  [[nodiscard]] Verdict verdict(std::size_t lever = kQuota) const { return proof().evidence[lever].verdict; }
  [[nodiscard]] CgroupId service() const {
    return node_.cgroup(node_.containers_of(node_.pods[0]).front().cgroup)->id;
  }

  std::shared_ptr<NodeSlo> slo_ = std::make_shared<NodeSlo>();
  NodeSnapshot node_{};
  decide::PolicyState state_{};
  int withheld_ = 0;
  std::vector<proof::ProofEvent> events_{};

 private:
  decide::Intents intents_{};
  bool in_force_ = false;
  std::array<std::uint64_t, kWaitBuckets> histogram_{};
  std::mt19937 random_;
  std::normal_distribution<double> noise_{0, 0.3};
};

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

TEST(Proof, ALeverThatHelpedIsTriedWithoutARestOnceItIsSuspected) {
  Scene scene;
  EXPECT_LE(scene.until_decided(0.2, 1200), 1200);
  int took = 0;
  while (took < 100'000 && scene.verdict() != Verdict::harms) {
    scene.tick(4);
    ++took;
  }
  EXPECT_EQ(scene.verdict(), Verdict::harms);
  EXPECT_LT(took, 6000) << "one rest, and then some trials in a row";
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

TEST(Proof, NothingIsTriedWhileTheBrakeActsOrAnObjectiveIsMissed) {
  Scene scene;
  scene.run(10, 1);
  const auto withheld_in = [&](bool brakes, bool misses) {
    int withheld = 0;
    for (int i = 0; i < 1000; ++i) {
      scene.measure(1, 1000);
      scene.state_.shared.of<decide::BrakeInForce>().cpu = brakes;
      auto& objectives = scene.state_.shared.of<decide::ServiceObjectives>();
      objectives.in_force = true;
      objectives.move =
          misses ? decide::ServiceObjectives::Move::shrink : decide::ServiceObjectives::Move::hold;
      decide::Intents out;
      out.set_policy(test::rank_of("cpu-suppress"));
      out.want(scene.service(), Knob::cpu_quota, 100000, because("as if by cpu-suppress"));
      test::decide_one(proof::proof_policy, scene.node_, *scene.slo_, scene.state_, out);
      withheld += out.all().empty() ? 1 : 0;
    }
    return withheld;
  };
  EXPECT_EQ(withheld_in(true, false), 0);
  EXPECT_EQ(withheld_in(false, true), 0);
  EXPECT_GT(withheld_in(false, false), 10);
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
  scene.node_.scheduler.fair = FairScheduler::eevdf;
  scene.run(5, 1);
  EXPECT_FALSE(scene.proof().compares_waits) << "suppression writes nothing there";
  scene.node_.scheduler.fair = FairScheduler::cfs;
  scene.run(1, 1);
  EXPECT_TRUE(scene.proof().compares_waits);
  scene.configure_otherwise();
  scene.node_.scheduler.fair = FairScheduler::eevdf;
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
