// Figures that services report for their objectives, as evidence about levers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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

constexpr std::size_t kQuota = proof::kBesteffortQuota;
constexpr double kTarget = 0.05, kUsual = 0.01;  ///< seconds

/// A service that reports its latency every `period` seconds, beside a pod under a quota, in ticks of a
/// second. What it waits for a CPU is random and does not depend on the quota; its latency may.
class ReportedScene {
 public:
  explicit ReportedScene(unsigned seed = 1, int period = 2) : random_(seed), period_(period) {
    slo_.evenkeel.proof.enable = true;
    Objective objective;
    objective.name = "web";
    objective.target = kTarget;
    objective.prometheus.quantile_percent = 99;
    objective.stale_after = std::max<Duration>(seconds(10), seconds(2 * period));
    slo_.evenkeel.objectives = {objective};
    auto builder = test::node().cpus(4).besteffort();
    builder.pod("shop").ls().container("web");
    builder.pod("job").be().container("main");
    node_ = builder.build();
    node_.at = window_began_ = MonoTime(seconds(1000));
    node_.objectives.resize(1);
    node_.run_queue.source = RunQueueSource::schedstat;
    state_.of<proof::ProofState>().configuration = slo_.fingerprint;
  }

  void tick(double with_lever) {
    node_.at += seconds(1);
    node_.since_previous = seconds(1);
    constexpr std::int64_t kWaits = 1000;
    const auto waited = std::chrono::duration<double, std::milli>(100 * noise());
    const auto service = node_.cgroup(node_.containers_of(node_.pods[0]).front().cgroup)->id;
    node_.run_queue.waits.clear();
    if (is_.waits) {
      auto& wait = node_.run_queue.waits.emplace_back();
      wait.cgroup = service;
      wait.waited = std::chrono::duration_cast<Duration>(waited);
      wait.waits = kWaits;
    }
    report(with_lever);
    decide::Intents out;
    out.set_policy(test::rank_of("cpu-suppress"));
    out.want(node_.cgroups.front().id, Knob::cpu_quota, 100000, because("as if by cpu-suppress"));
    test::decide_one(proof::proof_policy, node_, slo_, state_, out);
    in_force_ = !out.all().empty();
    withheld_.ticks += in_force_ ? 0 : 1;
    withheld_.in_a_row = in_force_ ? 0 : withheld_.in_a_row + 1;
    withheld_.longest = std::max(withheld_.longest, withheld_.in_a_row);
    for (const auto& event : proof().events) events_.push_back(event);
  }
  void run(int ticks, double with_lever) {
    for (int i = 0; i < ticks; ++i) tick(with_lever);
  }
  int until_decided(double with_lever, int most) {
    for (int i = 1; i <= most; ++i) {
      tick(with_lever);
      if (proof::verdict(proof(), kQuota) != Verdict::unknown) return i;
    }
    return most + 1;
  }
  [[nodiscard]] proof::ProofState& proof() { return state_.of<proof::ProofState>(); }
  [[nodiscard]] const proof::Evidence& felt() { return proof().evidence[kQuota]; }
  [[nodiscard]] const proof::Evidence& reported() { return proof().reported[kQuota]; }
  /// The quota is not in force.
  [[nodiscard]] bool is_withheld() const { return !in_force_; }
  [[nodiscard]] int withheld() const { return withheld_.ticks; }
  [[nodiscard]] int longest() const { return withheld_.longest; }
  [[nodiscard]] const std::vector<proof::ProofEvent>& events() const { return events_; }

  NodeSlo slo_{};
  NodeSnapshot node_{};
  struct {
    bool waits = true;         ///< are measured
    bool reports = true;       ///< the service does
    bool knows_period = true;  ///< when the figures were measured is known
    double absurd = 0;         ///< reported instead, unless zero
  } is_{};

 private:
  double noise() { return std::exp(noise_(random_)); }
  void report(double with_lever) {
    latencies_ += kUsual * noise() * (in_force_ ? with_lever : 1);
    if (node_.at - window_began_ < seconds(period_)) return;
    if (is_.reports)
      node_.objectives[0] = {is_.absurd != 0 ? is_.absurd : latencies_ / period_, node_.at,
                             is_.knows_period ? std::optional(window_began_) : std::nullopt, node_.at};
    latencies_ = 0;
    window_began_ = node_.at;
  }
  std::mt19937 random_;
  std::normal_distribution<double> noise_{0, 0.2};
  int period_;
  decide::PolicyState state_{};
  MonoTime window_began_{};
  double latencies_ = 0;
  bool in_force_ = true;
  struct {
    int ticks = 0, in_a_row = 0, longest = 0;
  } withheld_{};
  std::vector<proof::ProofEvent> events_{};
};

TEST(ProofByFigures, ALeverThatHarmsLatencyOnlyIsWithdrawn) {
  for (unsigned seed = 1; seed <= test::rounds(10); ++seed) {
    ReportedScene scene(seed);
    EXPECT_LE(scene.until_decided(3, 3600), 3600) << "seed " << seed;
    EXPECT_EQ(scene.reported().verdict, Verdict::harms) << "seed " << seed;
    EXPECT_NE(scene.felt().verdict, Verdict::harms) << "its waits are as before";
    EXPECT_EQ(&proof::deciding(scene.proof(), kQuota), &scene.reported());
    ASSERT_EQ(scene.events().size(), 1U);
    EXPECT_EQ(scene.events()[0].verdict, Verdict::harms);
    ASSERT_TRUE(scene.reported().effect());
    EXPECT_GT(scene.reported().effect()->low, 1.2);
    EXPECT_LE(scene.longest(), 7) << "two figures, and three ticks to spare";
    for (int i = 0; i < 5; ++i) {
      scene.tick(3);
      EXPECT_TRUE(scene.is_withheld());
    }
  }
}

TEST(ProofByFigures, AVerdictThatIsRecalledAfterARestartHoldsAtOnce) {
  ReportedScene before;
  ASSERT_LE(before.until_decided(3, 3600), 3600);
  ReportedScene after;
  after.is_.waits = after.is_.reports = false;  // so that nothing is tried
  after.proof().reported = before.proof().reported;
  after.tick(3);
  EXPECT_TRUE(after.is_withheld());
  ++after.slo_.fingerprint;
  after.tick(3);
  EXPECT_FALSE(after.is_withheld()) << "found under another configuration";
}

TEST(ProofByFigures, ALeverThatHelpsLatencyStays) {
  ReportedScene scene;
  scene.slo_.evenkeel.proof.budget_percent = Percent(20);
  constexpr int kMost = 4 * 3600;  // it rests as soon as it seems to help
  EXPECT_LE(scene.until_decided(0.3, kMost), kMost);
  EXPECT_EQ(proof::verdict(scene.proof(), kQuota), Verdict::helps);
  EXPECT_EQ(proof::deciding(scene.proof(), kQuota).feeling, Feeling::reported);
  const int before = scene.withheld();
  scene.run(3600, 0.3);
  EXPECT_LE(scene.withheld() - before, 7) << "one that helps rests";
}

TEST(ProofByFigures, ALeverWithoutEffectStaysWithinTheBudget) {
  constexpr int kHours = 5;
  for (unsigned seed = 1; seed <= test::rounds(20); ++seed) {
    ReportedScene scene(seed);
    int in_first_hour = 0;
    for (int hour = 0; hour < kHours; ++hour) {
      scene.run(3600, 1);
      if (hour == 0) in_first_hour = scene.withheld();
      EXPECT_NE(proof::verdict(scene.proof(), kQuota), Verdict::harms) << "seed " << seed;
    }
    EXPECT_LE(in_first_hour, 72) << "2 % of an hour";
    EXPECT_LE(scene.withheld(), 36 * (kHours + 1));
    EXPECT_GE(scene.reported().trials, 10);
    EXPECT_GE(scene.felt().trials, 40) << "half of the budget each, as long as nothing is known";
  }
}

TEST(ProofByFigures, StaleFiguresAreNoEvidenceAndTheOtherEvidenceGoesOn) {
  ReportedScene scene;
  scene.slo_.evenkeel.proof.budget_percent = Percent(20);
  const auto compares_figures = [&] {
    return scene.proof().trial && scene.proof().trial->feeling == Feeling::reported;
  };
  for (int i = 0; i < 3600 && !compares_figures(); ++i) scene.tick(1);
  ASSERT_TRUE(compares_figures());
  const auto reported = scene.reported().trials, felt = scene.felt().trials;
  scene.is_.reports = false;
  scene.run(12, 1);
  EXPECT_FALSE(compares_figures());
  scene.run(1000, 1);
  EXPECT_EQ(scene.reported().trials, reported);
  EXPECT_GT(scene.felt().trials, felt + 10);
  scene.is_.reports = true;
  scene.run(3000, 1);
  EXPECT_GT(scene.reported().trials, reported) << "and when they come back, they are evidence again";
}

TEST(ProofByFigures, MissingAndAbsurdFiguresAndThoseOfUnknownTimeAreNoEvidence) {
  const auto standing = [](auto change) {
    ReportedScene scene;
    scene.is_.waits = false;
    change(scene);
    scene.run(300, 1);
    EXPECT_EQ(scene.felt().trials, 0);
    if (scene.proof().standing[kQuota] != proof::Standing::testable) {
      EXPECT_EQ(scene.reported().trials, 0);
      EXPECT_EQ(scene.withheld(), 0);
    }
    return scene.proof().standing[kQuota];
  };
  EXPECT_EQ(standing([](auto& /*scene*/) {}), proof::Standing::testable);
  EXPECT_EQ(standing([](auto& scene) { scene.is_.reports = false; }), proof::Standing::unknown);
  EXPECT_EQ(standing([](auto& scene) { scene.is_.knows_period = false; }), proof::Standing::unknown);
  for (const double absurd :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(standing([&](auto& scene) { scene.is_.absurd = absurd; }), proof::Standing::unknown) << absurd;
}

TEST(ProofByFigures, SlowFiguresAreComparedIfASpanOfThemFitsIntoTheBudget) {
  ReportedScene ten(1, 10);
  ten.run(2 * 3600, 1);
  EXPECT_GE(ten.reported().trials, 1);
  EXPECT_LE(ten.longest(), 23);
  EXPECT_LE(ten.withheld(), 36 * 3);
  ReportedScene slower(1, 17);
  slower.run(3600, 1);
  EXPECT_EQ(slower.reported().trials, 0) << "37 s are more than half of 2 % of an hour";
  EXPECT_GE(slower.felt().trials, 40);
}

}  // namespace
}  // namespace evenkeel
