// What is taken from an antagonist, by what it hurts and by what the machine can do; and what becomes of who
// comes again and again.
#include <gtest/gtest.h>

#include <utility>

#include "qos/eviction/eviction.h"
#include "qos/interference/steps.h"
#include "qos/memory/policies.h"
#include "tests/support/scenes/counted_scene.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using What = interference::InterferenceEvent::What;
using Scene = CountedScene;

std::shared_ptr<const ResctrlSystem> resctrl(int max_groups) {
  ResctrlSystem system{.max_groups = max_groups};
  system.resources.push_back({.name = "L3", .unit = ResctrlUnit::ways, .full = 0xfff, .domains = {0}});
  system.resources.push_back(
      {.name = "MB", .unit = ResctrlUnit::percent, .full = 100, .least = 10, .step = 10, .domains = {0}});
  return std::make_shared<const ResctrlSystem>(std::move(system));
}

bool is_cut(const Scene& scene, std::size_t pod) {
  const decide::ResctrlPlan& plan = scene.intents.resctrl();
  for (const decide::ResctrlMember& member : plan.members())
    if (member.cgroup == scene.container(pod))
      return plan.groups()[static_cast<std::size_t>(member.group)].name == "evenkeel-limited";
  return false;
}

/// The hog works in turns, and the service is slow whenever it does and is not limited enough.
struct InTurns : Scene {
  InTurns() { run(30min, slowed_while(false)); }
  static Truth slowed_while(bool slow) {
    return [slow](const Scene&) { return slow ? 1.6 : 1.0; };
  }
  /// Until a pod is limited, at most so many turns.
  bool until_limited(const Truth& while_it_works, int turns = 12) {
    const std::size_t before = events(What::capped);
    for (int turn = 0; turn < turns; ++turn) {
      uses(kHog, 900_mcpu);
      for (int i = 0; i < 60; ++i) {
        run(1s, while_it_works);
        if (events(What::capped) > before) return true;
      }
      uses(kHog, 50_mcpu);
      run(60s, slowed_while(false));
    }
    return false;
  }
};

TEST(InterferenceRemedy, ACacheThrasherLosesCacheAndBandwidthAndKeepsItsCpu) {
  InTurns scene;
  scene.node.resctrl = resctrl(8);
  const auto truth = [](const Scene& now) { return is_cut(now, Scene::kHog) ? 1.05 : 1.6; };
  ASSERT_TRUE(scene.until_limited(truth));
  scene.run(40s, truth);
  EXPECT_EQ(scene.events(What::relieved), 1U);
  EXPECT_TRUE(is_cut(scene, Scene::kHog));
  EXPECT_FALSE(is_cut(scene, Scene::kOther));
  EXPECT_FALSE(scene.is_held_back(Scene::kHog));
  const decide::ResctrlGroup* group = scene.intents.resctrl().find("evenkeel-limited");
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->schemata, "L3:0=3\nMB:0=10\n");  // two of twelve ways: a tenth, rounded up
  scene.run(5min, truth);
  EXPECT_FALSE(is_cut(scene, Scene::kHog)) << "the lease is over";
}

// A group takes five seconds until all are in it: longer than two samples here.
TEST(InterferenceRemedy, AGroupHasItsTimeHoweverOftenThereIsASample) {
  InTurns scene;
  scene.slo.evenkeel.interference.counter_period = 1s;
  scene.run(10min, InTurns::slowed_while(false));
  scene.node.resctrl = resctrl(8);
  const auto truth = [](const Scene& now) { return is_cut(now, Scene::kHog) ? 1.05 : 2.6; };
  ASSERT_TRUE(scene.until_limited(truth));
  scene.run(10s, truth);
  EXPECT_EQ(scene.events(What::relieved), 1U);
  EXPECT_EQ(scene.events(What::not_relieved), 0U);
  EXPECT_TRUE(is_cut(scene, Scene::kHog));
}

TEST(InterferenceRemedy, WhereLessCacheDoesNotHelpLessCpuIsTriedBeforeItIsCleared) {
  InTurns scene;
  scene.node.resctrl = resctrl(8);
  ASSERT_TRUE(scene.until_limited(InTurns::slowed_while(true)));
  EXPECT_EQ(scene.state.of<interference::InterferenceState>().caps.front().limit.remedy,
            interference::Remedy::cache);
  scene.run(35s, InTurns::slowed_while(true));  // the group settles, two samples
  EXPECT_EQ(scene.events(What::not_relieved), 1U);
  ASSERT_TRUE(scene.is_held_back(Scene::kHog));
  scene.run(1s, InTurns::slowed_while(true));
  EXPECT_FALSE(is_cut(scene, Scene::kHog));
  scene.run(25s, InTurns::slowed_while(true));
  EXPECT_EQ(scene.events(What::not_relieved), 2U);
  EXPECT_FALSE(scene.is_held_back(Scene::kHog));
  EXPECT_TRUE(scene.state.of<interference::InterferenceState>().cleared.cleared(
      scene.container(Scene::kShop), scene.id(Scene::kHog), scene.node.at));
}

TEST(InterferenceRemedy, WithoutAClassOfServiceLeftItIsTheQuota) {
  InTurns scene;
  scene.node.resctrl = resctrl(1);
  ASSERT_TRUE(scene.until_limited(InTurns::slowed_while(true)));
  EXPECT_EQ(scene.state.of<interference::InterferenceState>().caps.front().limit.remedy,
            interference::Remedy::cpu);
}

TEST(InterferenceRemedy, OnEevdfAQuotaIsARemedyOnlyWithLongRequestSizes) {
  InTurns scene;
  scene.node.resctrl = resctrl(1);
  scene.node.scheduler = {.fair = FairScheduler::eevdf, .request_sizes = false};
  EXPECT_FALSE(scene.until_limited(InTurns::slowed_while(true)));
  scene.node.scheduler.request_sizes = true;
  EXPECT_TRUE(scene.until_limited(InTurns::slowed_while(true)));
}

TEST(InterferenceRemedy, AQuotaThatWasFoundToHarmIsNoRemedyAndEndsAtOnce) {
  InTurns scene;
  scene.judge_quotas(proof::Verdict::harms);
  EXPECT_FALSE(scene.until_limited(InTurns::slowed_while(true)));
  scene.judge_quotas(proof::Verdict::unknown);
  ASSERT_TRUE(scene.until_limited(InTurns::slowed_while(true)));
  const auto released = scene.events(What::released);
  scene.judge_quotas(proof::Verdict::harms);
  EXPECT_TRUE(scene.is_held_back(Scene::kHog));
  scene.run(2s, InTurns::slowed_while(true));
  EXPECT_FALSE(scene.is_held_back(Scene::kHog));
  EXPECT_EQ(scene.events(What::released), released + 1);
}

TEST(InterferenceRemedy, WhoMakesAServiceReclaimIsToReclaimItself) {
  Scene scene;
  auto& hog = scene.sample(Scene::kHog);
  const interference::Unit unit{.cgroup = hog.id, .index = scene.node.pods[Scene::kHog].cgroup};
  const auto& settings = scene.slo.evenkeel.interference;
  const auto remedy = [&] {
    return interference::remedy_for(Signal::reclaim_stall, unit, scene.node, settings, {});
  };
  EXPECT_FALSE(remedy()) << "neither its memory nor its CPU use is known";
  hog.memory.current = 1000_MiB;
  hog.applied.plain.set(Knob::memory_high, kPlainMax);
  EXPECT_FALSE(remedy()) << "nor what of it could only be swapped";
  hog.memory.anonymous = 100_MiB;
  ASSERT_TRUE(remedy());
  EXPECT_EQ(remedy()->remedy, interference::Remedy::memory);
  EXPECT_EQ(remedy()->memory, 900_MiB);
  hog.memory.anonymous = 950_MiB;
  ASSERT_TRUE(remedy());
  EXPECT_EQ(remedy()->memory, 969_MiB) << "with a little room";
  hog.memory.anonymous = 990_MiB;
  EXPECT_FALSE(remedy());
  hog.memory.anonymous = 100_MiB;
  hog.applied.plain.set(Knob::memory_high, (800_MiB).count());
  EXPECT_FALSE(remedy()) << "another policy keeps it lower already";
}

// A write of memory.high below the use would hold the agent up until all of it is reclaimed.
TEST(InterferenceRemedy, MemoryComesDownWithItsUseAndByOrder) {
  Scene scene;
  auto& hog = scene.sample(Scene::kHog);
  hog.memory.current = 1000_MiB;
  hog.memory.anonymous = 100_MiB;
  hog.applied.plain.set(Knob::memory_high, kPlainMax);
  scene.node.reclaim.on_demand = true;
  const auto truth = [](const Scene&) { return 1.0; };
  scene.run(1s, truth);
  scene.state.of<interference::InterferenceState>().caps.push_back(
      {.suspect = hog.id,
       .victim = scene.container(Scene::kShop),
       .signal = Signal::reclaim_stall,
       .limit = {.remedy = interference::Remedy::memory, .memory = 900_MiB, .had = 1000_MiB},
       .since = scene.node.at});
  scene.state.of<interference::InterferenceState>().caps.back().after.begin(1, scene.node.at);
  std::vector<ReclaimOrder> orders;
  const auto look = [&] {
    scene.run(1s, truth);
    memory::decide_reclaim(scene.node, scene.slo, scene.state.memory_reclaim,
                           memory::ReclaimFacts(scene.state.shared), orders);
    return scene.intent(Scene::kHog, Knob::memory_high);
  };
  EXPECT_EQ(look(), (1020_MiB).count()) << "2 % above its use: no more growth, and nothing to wait for";
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].target, hog.id);
  EXPECT_EQ(orders[0].cause, ReclaimCause::interference);
  EXPECT_EQ(orders[0].wanted, 100_MiB);
  hog.memory.current = 950_MiB;
  EXPECT_EQ(look(), (969_MiB).count());
  hog.memory.current.reset();
  EXPECT_EQ(look(), std::nullopt) << "it stays as it is";
  EXPECT_TRUE(orders.empty());
  hog.memory.current = 870_MiB;
  EXPECT_EQ(look(), (900_MiB).count());
  EXPECT_TRUE(orders.empty());
  EXPECT_EQ(hog.applied.plain.bytes(Knob::memory_high), 900_MiB);
  hog.memory.current = 960_MiB;
  hog.memory.anonymous.reset();
  EXPECT_EQ(look(), std::nullopt) << "what could only be swapped is not known";
  EXPECT_TRUE(orders.empty());
  hog.memory.anonymous = 950_MiB;
  EXPECT_EQ(look(), (969_MiB).count()) << "the rest could only be swapped";
  EXPECT_TRUE(orders.empty());
  hog.memory.current = 1000_MiB;
  look();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].wanted, 31_MiB);
}

TEST(InterferenceRemedy, WhoComesAgainAndAgainIsAskedToGo) {
  InTurns scene;
  scene.slo.threshold.enable = true;
  scene.slo.evenkeel.feature_gates[static_cast<std::size_t>(FeatureGate::interference_evict)] = true;
  const auto truth = [](const Scene& now) { return now.is_held_back(Scene::kHog) ? 1.05 : 1.6; };
  eviction::EvictionState evictions;
  const auto chosen = [&] {
    eviction::take_facts(eviction::EvictionFacts(scene.state.shared), evictions.use);
    return eviction::decide_eviction(scene.node, scene.slo, evictions);
  };
  for (int time = 1; time <= 3; ++time) {
    EXPECT_FALSE(chosen()) << time;
    ASSERT_TRUE(scene.until_limited(truth)) << time;
    scene.run(6min, truth);
    ASSERT_EQ(scene.events(What::relieved), static_cast<std::size_t>(time));
  }
  const auto eviction = chosen();
  ASSERT_TRUE(eviction);
  EXPECT_EQ(eviction->name, "hog");
  EXPECT_EQ(eviction->by, "interference-evict");
  auto& hog = scene.node.pods[Scene::kHog].cgroup;
  const auto present = std::exchange(hog, kNoCgroup);
  EXPECT_FALSE(chosen());
  const auto needed = [&] {
    return std::ranges::any_of(evictions.verdicts, &eviction::EvictionVerdict::needed);
  };
  EXPECT_FALSE(needed()) << "it is gone";
  hog = present;
  EXPECT_FALSE(chosen());
  EXPECT_TRUE(needed());
  scene.run(24h, InTurns::slowed_while(false));
  evictions = {};
  EXPECT_FALSE(chosen()) << "what was a day ago is forgotten";
}

}  // namespace
}  // namespace evenkeel::test
