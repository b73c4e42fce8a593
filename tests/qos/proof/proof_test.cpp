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
using proof::Feeling;
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
  [[nodiscard]] const Reason* withheld_because() const { return intents_.withheld(0); }
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
    EXPECT_LE(scene.until_decided(2, 600), 600) << "seed " << seed;
    ASSERT_EQ(scene.verdict(), Verdict::harms);
    ASSERT_EQ(scene.events_.size(), 1U);
    EXPECT_EQ(scene.events_[0].lever, kQuota);
    scene.run(3, 1);
    EXPECT_FALSE(scene.wants(Knob::cpu_quota));
    EXPECT_TRUE(scene.wants(Knob::cpuset_cpus)) << "the substitute";
    const auto effect = scene.proof().evidence[kQuota].effect();
    ASSERT_TRUE(effect);
    EXPECT_GT(effect->low, 1.2);
  }
}

TEST(Proof, ALeverThatHelpsStays) {
  Scene scene;
  EXPECT_LE(scene.until_decided(0.2, 1200), 1200);
  EXPECT_EQ(scene.verdict(), Verdict::helps);
  const int before = scene.withheld_;
  scene.run(5000, 0.2);
  EXPECT_LE(scene.withheld_ - before, 25) << "a trial in about 400 s";
  EXPECT_GT(scene.withheld_ - before, 2) << "conditions change";
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

decide::PolicyIndex rank_of(std::string_view policy) {
  const auto all = decide::policies();
  const auto found = std::ranges::find(all, policy, [](const auto* each) { return each->name; });
  return static_cast<decide::PolicyIndex>(found - all.begin());
}

TEST(Proof, NothingIsTriedWhileTheBrakeActs) {
  Scene scene;
  scene.run(10, 1);
  const auto withheld_in = [&](bool brakes) {
    int withheld = 0;
    for (int i = 0; i < 1000; ++i) {
      scene.measure(1, 1000);
      scene.state_.shared.of<decide::BrakeInForce>().cpu = brakes;
      decide::Intents out;
      out.set_policy(rank_of("cpu-suppress"));
      out.want(scene.service(), Knob::cpu_quota, 100000, because("as if by cpu-suppress"));
      test::decide_one(proof::proof_policy, scene.node_, *scene.slo_, scene.state_, out);
      withheld += out.all().empty() ? 1 : 0;
    }
    return withheld;
  };
  EXPECT_EQ(withheld_in(true), 0);
  EXPECT_GT(withheld_in(false), 10);
}

TEST(Proof, TooFewWaitsSayNothing) {
  Scene scene;
  for (int i = 0; i < 500; ++i) scene.tick(8, 20);
  EXPECT_EQ(scene.proof().evidence[kQuota].trials, 0);
  EXPECT_EQ(scene.withheld_, 0);
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
  EXPECT_NE(why->text().find("proof withholds it"), std::string::npos);
  scene.run(1, 1);
  EXPECT_EQ(scene.withheld_because(), nullptr);
}

/// A service that is stalled by a best-effort pod, under a limit on that pod's disk or memory.
class StallScene {
 public:
  explicit StallScene(Feeling feeling, Knob knob, std::string_view policy) : feeling_(feeling), knob_(knob) {
    slo_.evenkeel.proof.enable = true;
    slo_.evenkeel.proof.budget_percent = Percent(20);
    const auto all = decide::policies();
    while (all[by_]->name != policy) ++by_;
    auto builder = test::node().cpus(4).besteffort();
    builder.pod("shop").ls().container("web");
    builder.pod("job").be().container("main");
    node_ = builder.build();
    node_.at = MonoTime(seconds(1000));
  }
  /// The kernel is read in every fifth tick only.
  void tick(Duration with_lever, Duration without_lever) {
    node_.at += seconds(1);
    node_.since_previous = seconds(1);
    stalled_ += in_force_ ? with_lever : without_lever;
    if (++ticks_ % 5 == 0) set_stall();
    decide::Intents out;
    out.set_policy(by_);
    out.want(node_.cgroups.front().id, knob_, 1000, because("as if by its policy"));
    test::decide_one(proof::proof_policy, node_, slo_, state_, out);
    in_force_ = !out.all().empty();
    longest_ = in_force_ ? longest_ : std::max(longest_, ++in_a_row_);
    if (in_force_) in_a_row_ = 0;
  }
  Verdict until_decided(Duration with_lever, Duration without_lever) {
    set_stall();
    for (int i = 0; i < 6000; ++i) {
      tick(with_lever, without_lever);
      for (const auto& one : state_.of<proof::ProofState>().evidence)
        if (one.verdict != Verdict::unknown) return one.verdict;
    }
    return Verdict::unknown;
  }
  [[nodiscard]] int longest() const { return longest_; }

 private:
  void set_stall() {
    auto& pressure = node_.cgroups[static_cast<std::size_t>(node_.pods[0].cgroup)].pressure;
    auto& resource = feeling_ == Feeling::io_stall ? pressure.io : pressure.memory;
    resource.emplace().some.total = stalled_;
  }
  Feeling feeling_;
  Knob knob_;
  decide::PolicyIndex by_ = 0;
  NodeSlo slo_{};
  NodeSnapshot node_{};
  decide::PolicyState state_{};
  Duration stalled_ = seconds(5);
  int ticks_ = 0, longest_ = 0, in_a_row_ = 0;
  bool in_force_ = true;
};

TEST(Proof, LeversOfMemoryAndDisksAreJudgedByWhatServicesAreStalled) {
  using std::chrono::milliseconds;
  struct Case {
    Feeling feeling;
    Knob knob;
    std::string_view policy;
  };
  for (const auto& [feeling, knob, policy] : {Case{Feeling::io_stall, Knob::io_read_bps, "blkio"},
                                              Case{Feeling::memory_stall, Knob::memory_high, "memory-qos"},
                                              Case{Feeling::memory_stall, Knob::memory_low, "memory-qos"}}) {
    StallScene helps(feeling, knob, policy);
    EXPECT_EQ(helps.until_decided(milliseconds(20), milliseconds(300)), Verdict::helps);
    EXPECT_EQ(helps.longest(), 10);
    StallScene harms(feeling, knob, policy);
    EXPECT_EQ(harms.until_decided(milliseconds(300), milliseconds(20)), Verdict::harms);
    StallScene nothing(feeling, knob, policy);
    EXPECT_EQ(nothing.until_decided({}, {}), Verdict::no_difference);
  }
}

/// Four thousand levers without any effect, 500 trials each: the share that is ever said to harm. What
/// services feel follows itself, as load does: most of it stays from one span to the next.
TEST(ProofErrorRate, OfLeversWithoutEffectIsAtMostTheStatedOne) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.3);
  constexpr int kLevers = 4000;
  int harmed = 0;
  for (int i = 0; i < kLevers; ++i) {
    proof::Evidence one;
    double level = 0;
    for (int n = 0; n < 500 && one.verdict != Verdict::harms; ++n) {
      proof::Trial trial{.spans = proof::kMostSpans};
      trial.withheld = static_cast<std::int64_t>(random() % proof::kMostSpans);
      for (double& felt : trial.felt) felt = 1e-3 * std::exp(level = 0.8 * level + noise(random));
      proof::conclude(trial, one);
    }
    harmed += one.verdict == Verdict::harms ? 1 : 0;
  }
  EXPECT_LE(harmed, kLevers * proof::kErrorRate);
  EXPECT_GT(harmed, 0) << "a test that can never find anything is no test";
}

}  // namespace
}  // namespace evenkeel
