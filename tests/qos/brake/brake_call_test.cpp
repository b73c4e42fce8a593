// The brake when the run-queue program calls for it, and what best effort's pods keep by what they do.
#include <gtest/gtest.h>

#include "tests/support/scenes/brake_scene.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::node;
using Scene = test::BrakeScene;

TEST(BrakeCall, SaysWhoHadTheCpuAndNeedsNoOtherEvidence) {
  Scene scene;
  EXPECT_EQ(scene.intent_on(scene.call()), 160000);
  EXPECT_EQ(scene.out.all()[0].why.text(),
            "a service waited 11 ms for CPUs that best effort used: best effort may use 1.6 CPUs for 2 s");
  Scene throttled;
  Alarm call = throttled.call();
  call.victim_throttled = milliseconds(500);
  EXPECT_EQ(throttled.intent_on(call), 160000) << "that time is not in what it waited";
}

TEST(BrakeCall, IsHeardOnlyForServicesAndWhereThereMayBeABrake) {
  const auto brakes = [](auto change) {
    Scene scene;
    Alarm call = scene.call();
    change(scene, call);
    return scene.intent_on(call) >= 0;
  };
  EXPECT_TRUE(brakes([](Scene&, Alarm&) {}));
  EXPECT_FALSE(brakes([](Scene& s, Alarm& a) { a.victim = s.besteffort().id; }));
  EXPECT_FALSE(brakes([](Scene&, Alarm& a) { a.victim = CgroupId{4711}; }));
  EXPECT_FALSE(brakes([](Scene& s, Alarm&) { s.besteffort().hands_off = true; }));
  EXPECT_FALSE(brakes([](Scene& s, Alarm&) { s.slo.evenkeel.hands_off = true; }));
  EXPECT_FALSE(brakes([](Scene& s, Alarm&) { s.besteffort().applied.cpu_limit.reset(); }));
}

TEST(BrakeCall, KeepsToTheLeaseAndToItsShareOfAMinute) {
  Scene scene;
  Duration on{};
  for (int step = 0; step < 1200; ++step)  // a call every 50 ms for a minute
    if (scene.intent_on(scene.call(), Knob::cpu_quota, milliseconds(50)) == 160000) on += milliseconds(50);
  EXPECT_GE(on, seconds(11));
  EXPECT_LE(on, seconds(12) + milliseconds(50));
  EXPECT_EQ(scene.intent(Knob::cpu_quota, seconds(2)), -1);
}

/// Four CPUs and 30 batch pods, of which some work.
Scene crowd(int at_work) {
  auto builder = node().cpus(4).besteffort().unlimited();
  for (int i = 0; i < 30; ++i) builder.pod("batch").be().uses(i < at_work ? 50_mcpu : 2_mcpu);
  return Scene(builder.pod("cart").ls());
}

TEST(BrakeFloor, IsForPodsThatWorkAndOneForAllTheOthers) {
  const auto keeps = [](int at_work) {
    Scene scene = crowd(at_work);
    return scene.intent_on(scene.call());
  };
  EXPECT_EQ(keeps(0), 40000) << "a tenth of 4 CPUs";
  EXPECT_EQ(keeps(3), 40000);
  EXPECT_EQ(keeps(4), 50000) << "4 that work, and one part for the idle";
  EXPECT_EQ(keeps(20), 210000);
  EXPECT_EQ(keeps(30), 300000);
}

TEST(BrakeFloor, APodOfWhichNothingIsKnownWorks) {
  Scene scene = crowd(4);
  for (const auto& pod : scene.node.pods)
    scene.node.cgroups[static_cast<std::size_t>(pod.cgroup)].cpu_use.reset();
  EXPECT_EQ(scene.intent_on(scene.call()), 300000);
}

/// All were idle when the brake came, and the next measurement shows what they do.
TEST(BrakeFloor, FollowsThoseWhoBeginToWorkWithTheNextMeasurement) {
  Scene scene = crowd(0);
  EXPECT_EQ(scene.intent_on(scene.call()), 40000);
  const auto work = [&](int pods) {
    for (int i = 0; i < pods; ++i)
      scene.node.cgroups[static_cast<std::size_t>(scene.node.pods[static_cast<std::size_t>(i)].cgroup)]
          .cpu_use = 50_mcpu;
  };
  work(20);
  scene.node.measured = false;
  EXPECT_EQ(scene.intent(Knob::cpu_quota, milliseconds(100)), 40000) << "nothing was measured";
  scene.node.measured = true;
  EXPECT_EQ(scene.intent(Knob::cpu_quota, milliseconds(100)), 210000);
}

TEST(BrakeFloor, NeverGivesMoreThanThereWasBefore) {
  auto builder = node().cpus(4).besteffort().quota(150000);
  for (int i = 0; i < 30; ++i) builder.pod("batch").be().uses(MilliCpu{});
  Scene scene(builder.pod("cart").ls());
  EXPECT_EQ(scene.intent_on(scene.call()), 40000);
  for (int i = 0; i < 20; ++i)
    scene.node.cgroups[static_cast<std::size_t>(scene.node.pods[static_cast<std::size_t>(i)].cgroup)]
        .cpu_use = 50_mcpu;
  EXPECT_EQ(scene.intent(Knob::cpu_quota, milliseconds(100)), -1) << "2.1 CPUs are more than its 1.5";
  EXPECT_EQ(brake::next_release(scene.state.of<brake::BrakeState>()), std::nullopt);
}

}  // namespace
}  // namespace evenkeel
