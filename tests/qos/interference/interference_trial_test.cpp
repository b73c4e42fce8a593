// Where observation cannot name the culprit, a trial can: an antagonist that began once and goes on for ever.
#include <gtest/gtest.h>

#include "qos/interference/steps.h"
#include "tests/support/scenes/counted_scene.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using What = interference::InterferenceEvent::What;
using Scene = CountedScene;

const Scene::Truth kAlone = [](const Scene&) { return 1.0; };
/// The hog is guilty: the service is well whenever that is held back.
const Scene::Truth kByHog = [](const Scene& scene) { return scene.is_held_back(Scene::kHog) ? 1.1 : 1.6; };
/// A slowdown that no pod here causes.
const Scene::Truth kByNoPod = [](const Scene&) { return 1.6; };

/// The service was alone long enough to be known, and now the hog works and does not stop.
struct Beside : Scene {
  explicit Beside(bool causal_test = true) {
    slo.evenkeel.interference.causal_test = causal_test;
    run(30min, kAlone);
    uses(kHog, 900_mcpu);
  }
};

TEST(InterferenceTrial, TheGuiltyIsFoundLimitedAndTheServiceRecovers) {
  Beside scene;
  scene.run(7min, kByHog);
  EXPECT_EQ(scene.events(What::trial_began), 1U);
  ASSERT_EQ(scene.events(What::capped), 1U);
  EXPECT_EQ(scene.events(What::relieved), 1U);
  EXPECT_EQ(scene.intent(Scene::kHog, Knob::cpu_quota), 22'500);  // a quarter of 0.9 CPUs
}

TEST(InterferenceTrial, ItIsHeldBackByHalfInHalfOfTheTurns) {
  Beside scene;
  int held = 0, ticks = 0;
  for (; ticks < 3600 && scene.events(What::capped) == 0; ++ticks) {
    scene.run(1s, kByHog);
    if (!scene.state.of<interference::InterferenceState>().trial || !scene.is_held_back(Scene::kHog))
      continue;
    ++held;
    EXPECT_EQ(scene.intent(Scene::kHog, Knob::cpu_quota), 45'000);
  }
  ASSERT_LT(ticks, 3600);
  EXPECT_NEAR(held, 4 * 30, 2);  // four turns of three samples
}

TEST(InterferenceTrial, AQuotaThatIsFoundToHarmMeanwhileEndsIt) {
  Beside scene;
  for (int tick = 0; tick < 3600 && !scene.is_held_back(Scene::kHog); ++tick) scene.run(1s, kByHog);
  ASSERT_TRUE(scene.state.of<interference::InterferenceState>().trial);
  scene.judge_quotas(proof::Verdict::harms);
  scene.run(2s, kByHog);
  EXPECT_FALSE(scene.state.of<interference::InterferenceState>().trial);
  EXPECT_FALSE(scene.is_held_back(Scene::kHog));
  scene.run(10min, kByHog);
  EXPECT_EQ(scene.events(What::trial_began), 1U) << "and no other begins";
}

TEST(InterferenceTrial, TheInnocentIsClearedAndLeftAlone) {
  Beside scene;
  scene.run(25min, kByNoPod);
  EXPECT_EQ(scene.events(What::trial_began), 1U);
  EXPECT_EQ(scene.events(What::trial_cleared), 1U);
  EXPECT_EQ(scene.events(What::capped), 0U);
  EXPECT_FALSE(scene.is_held_back(Scene::kHog));
}

TEST(InterferenceTrial, ThereIsNoneUnlessItIsAllowed) {
  Beside scene(false);
  scene.run(30min, kByHog);
  EXPECT_EQ(scene.events(What::trial_began), 0U);
}

TEST(InterferenceTrial, TheDaysBudgetIsKept) {
  Beside scene;
  scene.slo.evenkeel.interference.most_tests_per_day = 1;
  scene.uses(Scene::kOther, 700_mcpu);
  scene.run(3h, kByNoPod);
  EXPECT_EQ(scene.events(What::trial_began), 1U);
}

TEST(InterferenceTrial, HandsOffIsRespected) {
  Beside scene;
  scene.sample(Scene::kHog).hands_off = true;
  scene.run(30min, kByHog);
  EXPECT_EQ(scene.events(What::trial_began), 0U);
}

TEST(InterferenceTrial, ItEndsWhenItIsSwitchedOff) {
  Beside scene;
  for (int i = 0; i < 3600 && !scene.state.of<interference::InterferenceState>().trial; ++i)
    scene.run(1s, kByHog);
  ASSERT_TRUE(scene.state.of<interference::InterferenceState>().trial);
  scene.slo.evenkeel.interference.causal_test = false;
  scene.run(1s, kByHog);
  EXPECT_FALSE(scene.state.of<interference::InterferenceState>().trial);
  EXPECT_FALSE(scene.is_held_back(Scene::kHog));
}

}  // namespace
}  // namespace evenkeel::test
