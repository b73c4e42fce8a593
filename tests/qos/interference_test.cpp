// Who hurts whom, from the snapshots of a node: waits are planted, and the right one is found, limited, and
// let go.
#include "qos/interference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/snapshot_builder.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using namespace std::chrono_literals;

/// One service and three best-effort pods, each with one container, in ticks of a second.
class Scene {
 public:
  Scene() {
    slo_.evenkeel.interference.enable = true;
    slo_.evenkeel.interference.act = true;
    auto builder = node().cpus(4);
    builder.pod("shop").ls().uses(800_mcpu).container("web").uses(800_mcpu).unlimited();
    for (const char* name : {"hog", "busy", "quiet"})
      builder.pod(name).be().uses(500_mcpu).unlimited().container("job").uses(500_mcpu).unlimited();
    node_ = builder.build();
    node_.run_queue.source = RunQueueSource::bpf;
  }

  /// Seconds of waiting per second, by whose doing.
  struct Waits {
    double hog = 0, busy = 0, own = 0;
    bool listed = true;  ///< the service's waits were measured
  };
  void run(Duration length, const Waits& waits, MilliCpu hog_uses = 500_mcpu) {
    for (Duration passed{}; passed < length; passed += 1s) {
      node_.at += 1s;
      node_.since_previous = 1s;
      node_.run_queue.waits.clear();
      node_.run_queue.blame.clear();
      const double noise = noise_(random_);
      const auto blame = [&](std::size_t pod, double seconds) {
        const auto time = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
        if (time > Duration::zero())
          node_.run_queue.blame.push_back({container(0), container(pod), false, time});
        return time;
      };
      const Duration waited =
          blame(1, waits.hog * noise) + blame(2, waits.busy * noise) + blame(0, (waits.own + 0.005) * noise);
      if (waits.listed) node_.run_queue.waits.push_back({container(0), waited, 100, {}});
      pod_sample(1).cpu_use = hog_uses;
      intents_.clear();
      decide_all(node_, slo_, state_, intents_);
      for (const auto& news : state_.interference.news) heard_.push_back(news);
    }
  }
  [[nodiscard]] CgroupId container(std::size_t pod) const {
    return node_.cgroup(node_.containers_of(node_.pods[pod]).front().cgroup)->id;
  }
  [[nodiscard]] CgroupId pod(std::size_t pod) const { return node_.cgroup(node_.pods[pod].cgroup)->id; }
  CgroupSample& pod_sample(std::size_t pod) {
    return node_.cgroups[static_cast<std::size_t>(node_.pods[pod].cgroup)];
  }
  /// Quota wished for a cgroup in the last tick; absent: none.
  [[nodiscard]] std::optional<std::int64_t> quota_of(CgroupId cgroup) const {
    for (const Intent& intent : intents_.all())
      if (intent.target == cgroup && intent.knob == Knob::cpu_quota && !intent.hold)
        return std::get<std::int64_t>(intent.value);
    return std::nullopt;
  }
  [[nodiscard]] std::size_t heard(InterferenceNews::What what) const {
    return static_cast<std::size_t>(std::ranges::count(heard_, what, &InterferenceNews::what));
  }
  [[nodiscard]] const InterferenceState& state() const { return state_.interference; }

  NodeSlo slo_{};
  NodeSnapshot node_{};

 private:
  PolicyState state_{};
  Intents intents_{};
  std::vector<InterferenceNews> heard_{};
  std::mt19937 random_{7};
  std::uniform_real_distribution<double> noise_{0.8, 1.2};
};

constexpr Duration kLearn = 20min;
using What = InterferenceNews::What;

TEST(Interference, ACleanNodeAccusesNobody) {
  Scene scene;
  scene.run(2h, {.busy = 0.02});
  EXPECT_EQ(scene.heard(What::accused), 0U);
  ASSERT_EQ(scene.state().victims.size(), 1U);
  EXPECT_EQ(scene.state().victims[0].cgroup, scene.container(0));
  EXPECT_NEAR(scene.state().victims[0].stalled_by_others_seconds[0], 0.02 * 7200, 10);
}

TEST(Interference, WhoHasTheCpuThatTheServiceWaitsForIsNamedAndLimited) {
  Scene scene;
  scene.run(kLearn, {.busy = 0.02});
  scene.run(50s, {.hog = 0.4, .busy = 0.02});
  ASSERT_EQ(scene.state().accusations.size(), 1U);
  const Accusation& one = scene.state().accusations.front();
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
    for (int i = 0; i < 60 && scene.heard(What::capped) == 0; ++i) scene.run(1s, {.hog = 0.4, .busy = 0.02});
    ASSERT_EQ(scene.heard(What::capped), 1U);
    scene.run(40s, {.hog = helps ? 0.0 : 0.4, .busy = 0.02});
    EXPECT_EQ(scene.heard(What::cured), helps ? 1U : 0U);
    EXPECT_EQ(scene.heard(What::not_cured), helps ? 0U : 1U);
    EXPECT_EQ(scene.quota_of(scene.pod(1)).has_value(), helps);
    // A suspect that was cleared is not limited again.
    scene.run(6min, {.hog = helps ? 0.0 : 0.4, .busy = 0.02});
    EXPECT_EQ(scene.quota_of(scene.pod(1)), std::nullopt);
    EXPECT_EQ(scene.heard(What::capped), 1U);
  }
}

TEST(Interference, NothingIsWrittenUnlessItMayAct) {
  Scene scene;
  scene.slo_.evenkeel.interference.act = false;
  scene.run(kLearn, {.busy = 0.02});
  scene.run(2min, {.hog = 0.4, .busy = 0.02});
  EXPECT_EQ(scene.heard(What::accused), 1U);
  EXPECT_EQ(scene.heard(What::capped), 0U);
  EXPECT_EQ(scene.quota_of(scene.pod(1)), std::nullopt);
}

TEST(Interference, WaitingForOnesOwnTasksIsNobodysFault) {
  Scene scene;
  scene.run(kLearn, {.busy = 0.02});
  scene.run(5min, {.busy = 0.02, .own = 0.5});
  EXPECT_EQ(scene.heard(What::accused), 0U);
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
  EXPECT_EQ(other.heard(What::accused), 1U);
  EXPECT_EQ(other.quota_of(other.pod(1)), std::nullopt);
}

TEST(Interference, WhatWasNotMeasuredIsNoSample) {
  Scene scene;
  scene.node_.run_queue.source = RunQueueSource::none;
  scene.run(kLearn, {});
  ASSERT_EQ(scene.state().victims.size(), 1U);
  for (const VictimWatch& watch : scene.state().victims[0].watch) EXPECT_TRUE(watch.series().empty());
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
