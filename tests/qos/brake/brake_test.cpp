// When best effort is cut between two ticks, to what, and when it is let go.
#include "qos/brake/brake.h"

#include <gtest/gtest.h>

#include "qos/decide/intent.h"
#include "tests/support/scenes/brake_scene.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::held;
using test::intended;
using test::node;
using Scene = test::BrakeScene;
using test::brake_machine;

TEST(Brake, CutsAtOnceAndLetsGoAfterTheLease) {
  Scene scene;
  EXPECT_EQ(scene.intent(), -1) << "no task waits";
  EXPECT_EQ(scene.intent_on(scene.alarm()), 160000) << "a tenth of 16 CPUs";
  EXPECT_EQ(brake::next_release(scene.state.of<brake::BrakeState>()), scene.node.at + seconds(2));
  EXPECT_EQ(scene.intent(Knob::cpu_quota, milliseconds(1999)), 160000);
  EXPECT_EQ(scene.intent(Knob::cpu_quota, milliseconds(1)), -1);
  EXPECT_EQ(brake::next_release(scene.state.of<brake::BrakeState>()), std::nullopt);
}

TEST(Brake, GoesOnWhileAlarmsGoOnButNotForLongerThanItsShareOfAMinute) {
  Scene scene;
  Duration on{};
  for (int step = 0; step < 600; ++step)  // an alarm every 100 ms for a minute
    if (scene.intent_on(scene.alarm(), Knob::cpu_quota, milliseconds(100)) == 160000) on += milliseconds(100);
  EXPECT_GE(on, seconds(11));
  EXPECT_LE(on, seconds(12) + milliseconds(100)) << "a fifth of the minute, and a step";
  Duration next{};
  for (int step = 0; step < 600; ++step)
    if (scene.intent_on(scene.alarm(), Knob::cpu_quota, milliseconds(100)) == 160000)
      next += milliseconds(100);
  EXPECT_GE(next, seconds(9)) << "the next minute has a share of its own";
  EXPECT_LE(next, seconds(13));
}

TEST(Brake, LeavesEnoughForTheProbesOfEachPod) {
  auto builder = node().cpus(4).besteffort().unlimited();
  for (int i = 0; i < 7; ++i) builder.pod("batch").be();
  Scene scene(builder.pod("cart").ls());
  EXPECT_EQ(scene.intent_on(scene.alarm()), 70000) << "7 times 0.1 CPU, more than a tenth of 4";
}

TEST(Brake, DoesNothingWhereThereIsNothingToCut) {
  Scene narrow(brake_machine().besteffort().quota(160000));
  EXPECT_EQ(narrow.intent_on(narrow.alarm()), -1) << "it has no more than that";
  Scene wider(brake_machine().besteffort().quota(170000));
  EXPECT_EQ(wider.intent_on(wider.alarm()), 160000);
  auto builder = node().cpus(1).besteffort().unlimited();
  for (int i = 0; i < 12; ++i) builder.pod("batch").be();
  Scene crowded(builder.pod("cart").ls());
  EXPECT_EQ(crowded.intent_on(crowded.alarm()), -1) << "a quota above the machine cuts nothing";
}

/// Whether it brakes when one thing is different.
template <class Change>
bool brakes(Change change) {
  Scene scene;
  Alarm alarm = scene.alarm();
  change(scene, alarm);
  return scene.intent_on(alarm) >= 0;
}

TEST(Brake, OnlyWhereBestEffortCanBeTheCause) {
  EXPECT_TRUE(brakes([](Scene&, Alarm&) {}));
  EXPECT_FALSE(brakes([](Scene&, Alarm& a) { a.besteffort_cpu_time = CpuTime(9'999'999); }))
      << "less than the service waited";
  EXPECT_FALSE(brakes([](Scene&, Alarm& a) { a.besteffort_cpu_time.reset(); })) << "unknown is not enough";
  EXPECT_FALSE(brakes([](Scene&, Alarm& a) {
    a.waited = {};
    a.besteffort_cpu_time = CpuTime(1000);
  })) << "as good as nothing";
}

TEST(Brake, NotForWaitsThatTheServicesOwnQuotaMakes) {
  EXPECT_FALSE(brakes([](Scene&, Alarm& a) { a.victim_throttled = milliseconds(45); }))
      << "5 of 10 ms are left";
  EXPECT_TRUE(brakes([](Scene&, Alarm& a) { a.victim_throttled = milliseconds(40); }));
  EXPECT_FALSE(brakes([](Scene&, Alarm& a) { a.victim_throttled.reset(); })) << "in doubt: no";
  EXPECT_FALSE(brakes([](Scene&, Alarm& a) {
    a.victim_throttled = milliseconds(1);
    a.victim_stalled.reset();
  })) << "nothing to subtract from";
}

TEST(Brake, OnlyForServicesThatAreThere) {
  EXPECT_FALSE(brakes([](Scene& s, Alarm& a) { a.victim = s.besteffort().id; }));
  EXPECT_FALSE(brakes([](Scene& s, Alarm& a) {
    a.victim = s.node.cgroups[static_cast<std::size_t>(s.node.pods[0].cgroup)].id;
  })) << "best effort waits for itself";
  EXPECT_FALSE(brakes([](Scene&, Alarm& a) { a.victim = CgroupId{4711}; }));
  EXPECT_FALSE(brakes([](Scene&, Alarm& a) { a.what = Contended::io; })) << "nothing to cut for that";
}

TEST(Brake, NotWhereItMayNotOrCannot) {
  EXPECT_FALSE(brakes([](Scene& s, Alarm&) { s.besteffort().hands_off = true; }));
  EXPECT_FALSE(brakes([](Scene& s, Alarm&) { s.slo.evenkeel.hands_off = true; }));
  EXPECT_FALSE(brakes([](Scene& s, Alarm&) { s.besteffort().applied.cpu_limit.reset(); }));
  EXPECT_FALSE(brakes([](Scene& s, Alarm&) { s.node.node.cpu_capacity = {}; }));
  EXPECT_FALSE(brakes([](Scene& s, Alarm&) { s.node.besteffort = kNoCgroup; }));
}

TEST(Brake, AnAlarmOfBeforeTheLastMeasurementDoesNotStartIt) {
  Scene scene;
  Alarm old = scene.alarm();
  old.at -= milliseconds(1);
  scene.node.alarms = {old};
  EXPECT_EQ(scene.intent(), -1);
  scene.intent_on(scene.alarm());
  const auto release = *brake::next_release(scene.state.of<brake::BrakeState>());
  old.at = scene.node.at + milliseconds(500);
  scene.node.at += seconds(1);
  scene.node.alarms = {old};
  EXPECT_EQ(scene.intent(), 160000);
  EXPECT_EQ(*brake::next_release(scene.state.of<brake::BrakeState>()), release + milliseconds(500))
      << "but makes it longer";
}

TEST(Brake, TheNodesOwnAlarmCountsWhileAServiceIsSeenToWait) {
  const auto intent = [](double percent, Duration throttled) {
    Scene scene(brake_machine().throttled(0));
    for (auto& cgroup : scene.node.cgroups) cgroup.throttling = Throttling{.throttled_time = throttled};
    scene.service().pressure.cpu = Pressure{.some = {.avg10_percent = percent}};
    Alarm alarm = scene.alarm();
    alarm.victim = {};
    return scene.intent_on(alarm);
  };
  EXPECT_EQ(intent(30, {}), 160000);
  EXPECT_EQ(intent(19, {}), -1);
  EXPECT_EQ(intent(30, milliseconds(1)), -1) << "may be its own quota";
}

TEST(Brake, AServiceOutsideOfPodsCountsToo) {
  Scene scene(brake_machine().host_app(QosClass::ls, HostAppBase::cgroup_root));
  Alarm alarm = scene.alarm();
  alarm.victim = scene.node.cgroup(scene.node.host_applications[0].cgroup)->id;
  EXPECT_EQ(scene.intent_on(alarm), 160000);
  Scene batch(brake_machine().host_app(QosClass::be, HostAppBase::cgroup_root));
  alarm.victim = batch.node.cgroup(batch.node.host_applications[0].cgroup)->id;
  EXPECT_EQ(batch.intent_on(alarm), -1);
}

TEST(Brake, StopsTheGrowthOfMemoryAndAsksForAStepOfIt) {
  Scene scene;
  EXPECT_EQ(scene.intent_on(scene.alarm(Contended::memory), Knob::memory_high) >> 20, 4080)
      << "2 % above what it has: no write reclaims";
  EXPECT_EQ(scene.state.of<brake::BrakeState>().memory.memory, 3800_MiB);
  EXPECT_EQ(intended(scene.out, scene.besteffort().id, Knob::cpu_quota), -1) << "it is not short of CPU";
  scene.besteffort().memory.current = 3000_MiB;
  EXPECT_EQ(scene.intent(Knob::memory_high, seconds(1)) >> 20, 3800);
  EXPECT_EQ(scene.intent(Knob::memory_high, seconds(1)), -1) << "the lease is over";
}

TEST(Brake, MemoryOnlyWhereTheNodeIsShortAndTheServiceIsNotAtItsOwnLimit) {
  const auto brakes = [](auto change) {
    Scene scene(brake_machine().memory(500_MiB, 1000_MiB));
    auto& container = scene.node.cgroups[static_cast<std::size_t>(scene.node.containers.back().cgroup)];
    container.memory.current = 500_MiB;
    Alarm alarm = scene.alarm(Contended::memory);
    change(scene, container, alarm);
    return scene.intent_on(alarm, Knob::memory_high) >= 0;
  };
  EXPECT_TRUE(brakes([](Scene&, CgroupSample&, Alarm&) {}));
  EXPECT_FALSE(brakes([](Scene& s, CgroupSample&, Alarm&) { s.node.node.memory->free = 5000_MiB; }));
  EXPECT_FALSE(brakes([](Scene& s, CgroupSample&, Alarm&) { s.node.node.memory.reset(); }));
  EXPECT_FALSE(brakes([](Scene&, CgroupSample& c, Alarm&) { c.memory.current = 960_MiB; }));
  EXPECT_FALSE(brakes([](Scene&, CgroupSample&, Alarm& a) { a.besteffort_memory = 100_MiB; }));
  EXPECT_FALSE(brakes([](Scene&, CgroupSample&, Alarm& a) { a.besteffort_memory.reset(); }));
  EXPECT_FALSE(brakes([](Scene& s, CgroupSample&, Alarm&) { s.besteffort().applied.plain = {}; }))
      << "cgroup v1";
}

TEST(Brake, HoldsWhatIsInForceWhileTheQuotaCannotBeRead) {
  Scene scene;
  scene.intent_on(scene.alarm());
  scene.besteffort().applied.cpu_limit.reset();
  EXPECT_EQ(scene.intent(), -1);
  EXPECT_TRUE(held(scene.out, scene.besteffort().id, Knob::cpu_quota));
  scene.besteffort().id = CgroupId{99};
  EXPECT_EQ(scene.intent(), -1);
  EXPECT_TRUE(scene.out.all().empty()) << "a directory that was made anew was never braked";
}

// On v1 the kernel refuses a directory less than a child has; when the brake is gone, so is the child's
// share.
TEST(Brake, OnV1ChildrenAreNarrowedAlongWhetherSuppressionIsOnOrOff) {
  for (const bool suppressing : {false, true}) {
    Scene scene(node()
                    .cpus(16)
                    .uses(400_mcpu)
                    .besteffort()
                    .unlimited()
                    .pod("batch")
                    .be()
                    .quota(800000)
                    .pod("a")
                    .ls());
    scene.slo.threshold.enable = suppressing;
    scene.slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
    const CgroupId pod = scene.node.cgroup(scene.node.pods[0].cgroup)->id;
    std::vector<decide::Intent> plan;
    const auto round = [&] {
      scene.out.clear();
      decide::decide_all(scene.node, scene.slo, scene.state, scene.out);
      decide::arbitrate(scene.node, scene.slo, scene.out, plan);
      scene.node.alarms.clear();
      auto& limit = scene.node.cgroups[static_cast<std::size_t>(scene.node.pods[0].cgroup)].applied.cpu_limit;
      limit->quota = QuotaTime(800000);  // a value without an intent is restored
      for (const decide::Intent& intent : plan) {
        const auto quota = QuotaTime(std::get<std::int64_t>(intent.value));
        if (intent.target == pod) limit->quota = quota;
        if (intent.target == scene.besteffort().id) scene.besteffort().applied.cpu_limit->quota = quota;
      }
      scene.node.at += *(scene.node.since_previous = seconds(1));
      return limit->quota->count();
    };
    for (int tick = 0; tick < 3; ++tick) EXPECT_EQ(round(), 800000);
    scene.node.alarms = {scene.alarm()};
    for (int tick = 0; tick < 2; ++tick) EXPECT_EQ(round(), 160000) << suppressing;
    for (int tick = 0; tick < 29; ++tick) static_cast<void>(round());
    EXPECT_EQ(round(), 800000) << "its own again, suppressing: " << suppressing;
  }
}

TEST(Brake, SaysWhy) {
  Scene scene;
  scene.intent_on(scene.alarm());
  EXPECT_EQ(
      scene.out.all()[0].why.text(),
      "a service waited 10 ms and more for a CPU just now while best effort ran for 80 ms: best effort may "
      "use 1.6 CPUs for 2 s");
}

TEST(Brake, OnEevdfItCutsTheCpuOnlyWithLongRequests) {
  Scene scene;
  scene.node.scheduler.fair = FairScheduler::eevdf;
  EXPECT_EQ(scene.intent_on(scene.alarm()), -1) << "there a quota alone does harm";
  scene.node.scheduler.request_sizes = true;
  EXPECT_EQ(scene.intent_on(scene.alarm()), 160000);
}

TEST(Brake, AServiceAtItsPodLevelLimitOfMemoryWaitsForThatReason) {
  Scene scene(brake_machine().pod_level_limit(1000_MiB));
  scene.service().memory.current = 500_MiB;
  EXPECT_GE(scene.intent_on(scene.alarm(Contended::memory), Knob::memory_high), 0);
  Scene full(brake_machine().pod_level_limit(1000_MiB));
  full.service().memory.current = 1000_MiB;
  EXPECT_EQ(full.intent_on(full.alarm(Contended::memory), Knob::memory_high), -1);
}

TEST(Brake, WhereAQuotaWasFoundToHarmItCutsTheMemoryOnly) {
  Scene scene;
  auto& harmful = scene.state.shared.of<decide::HarmfulLevers>();
  EXPECT_EQ(scene.intent_on(scene.alarm()), 160000);
  harmful.besteffort_quota = true;
  EXPECT_EQ(scene.intent(Knob::cpu_quota, milliseconds(100)), -1) << "its lease ends with the verdict";
  EXPECT_EQ(scene.intent_on(scene.alarm()), -1);
  EXPECT_FALSE(scene.state.shared.of<decide::BrakeInForce>().cpu);
  EXPECT_GT(scene.intent_on(scene.alarm(Contended::memory), Knob::memory_high), 0);
  harmful.besteffort_quota = false;
  EXPECT_EQ(scene.intent_on(scene.alarm()), 160000) << "another configuration: the verdict is void";
}

}  // namespace
}  // namespace evenkeel
