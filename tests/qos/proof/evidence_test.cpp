// What is concluded from trials: by stall times, and how often wrongly.
#include <gtest/gtest.h>

#include <random>

#include "qos/proof/proof.h"
#include "qos/registry.h"
#include "tests/support/rounds.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using proof::Feeling;
using proof::Verdict;
using std::chrono::seconds;

/// A service that is stalled by a best-effort pod, under a limit on that pod's disk or memory.
class StallScene {
 public:
  explicit StallScene(Feeling feeling, Knob knob, std::string_view policy) : feeling_(feeling), knob_(knob) {
    slo_.evenkeel.proof.enable = true;
    slo_.evenkeel.proof.budget_percent = Percent(20);
    by_ = test::rank_of(policy);
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
    for (int i = 0; i < 60'000; ++i) {
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
    auto& resource = feeling_ == Feeling::io_stall    ? pressure.io
                     : feeling_ == Feeling::cpu_stall ? pressure.cpu
                                                      : pressure.memory;
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

TEST(Proof, LeversAreJudgedByStallWhereNothingFinerIsMeasured) {
  using std::chrono::milliseconds;
  struct Case {
    Feeling feeling;
    Knob knob;
    std::string_view policy;
  };
  for (const auto& [feeling, knob, policy] : {Case{Feeling::io_stall, Knob::io_read_bps, "blkio"},
                                              Case{Feeling::memory_stall, Knob::memory_high, "memory-qos"},
                                              Case{Feeling::memory_stall, Knob::memory_low, "memory-qos"},
                                              Case{Feeling::cpu_stall, Knob::cpu_quota, "cpu-suppress"}}) {
    StallScene helps(feeling, knob, policy);
    EXPECT_EQ(helps.until_decided(milliseconds(20), milliseconds(300)), Verdict::helps);
    EXPECT_LE(helps.longest(), 10);
    StallScene harms(feeling, knob, policy);
    EXPECT_EQ(harms.until_decided(milliseconds(300), milliseconds(20)), Verdict::harms);
    EXPECT_EQ(harms.longest(), 10);
    StallScene nothing(feeling, knob, policy);
    EXPECT_EQ(nothing.until_decided({}, {}), Verdict::no_difference);
  }
}

/// The interval is looked at after each trial, as an operator or a log line may.
TEST(ProofEffect, TheIntervalMayBeLookedAtAfterEachTrial) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(std::log(1.5), 0.4);
  const auto levers = static_cast<int>(test::rounds(2000));
  int missed = 0;
  double narrowest = 100;
  for (int i = 0; i < levers; ++i) {
    proof::Evidence one;
    bool misses = false;
    for (int n = 0; n < 200; ++n) {
      const double log_of_ratio = noise(random);
      one.log_sum += log_of_ratio;
      one.log_squares += log_of_ratio * log_of_ratio;
      ++one.logs;
      const auto effect = one.effect();
      EXPECT_EQ(effect.has_value(), n >= 2) << "three trials for a bound";
      misses = misses || (effect && (effect->low > 1.5 || effect->high < 1.5));
      if (effect) narrowest = std::min(narrowest, effect->high / effect->low);
    }
    missed += misses ? 1 : 0;
  }
  EXPECT_LE(missed, levers * 6 / 100);
  EXPECT_LT(narrowest, 1.5) << "an interval that says nothing would never miss";
}

/// Four thousand levers without any effect, 500 trials each: the share that is ever said to harm. What
/// services feel follows itself, as load does: most of it stays from one span to the next.
TEST(ProofErrorRate, OfLeversWithoutEffectIsAtMostTheStatedOne) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.3);
  constexpr int kLevers = 4000;
  int harmed = 0, suspected = 0;
  for (int i = 0; i < kLevers; ++i) {
    proof::Evidence one;
    double level = 0;
    bool suspect = false;
    for (int n = 0; n < 500 && one.verdict != Verdict::harms; ++n) {
      proof::Trial trial{.spans = proof::kMostSpans};
      trial.withheld = static_cast<std::int64_t>(random() % proof::kMostSpans);
      for (double& felt : trial.felt) felt = 1e-3 * std::exp(level = 0.8 * level + noise(random));
      proof::conclude(trial, one);
      suspect = suspect || one.harms.wealth() > 20;
    }
    suspected += suspect ? 1 : 0;
    harmed += one.verdict == Verdict::harms ? 1 : 0;
  }
  EXPECT_LE(harmed, kLevers * proof::kErrorRate);
  EXPECT_GT(suspected, kLevers / 100) << "a test that can never find anything is no test";
}

}  // namespace
}  // namespace evenkeel
