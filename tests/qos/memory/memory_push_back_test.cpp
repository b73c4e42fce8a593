// When best effort gives up memory for services, how far, and when it gets it back.
#include <gtest/gtest.h>

#include "qos/memory/policies.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using std::chrono::seconds;
using test::held;
using test::intended;
using test::node;
using test::SnapshotBuilder;

/// A v2 node of 16 GiB, 1 GiB of it free; best effort has 4 GiB, 1 GiB of it anonymous.
struct Scene {
  explicit Scene(const SnapshotBuilder& builder = test::node().pod("a").ls().container("a").memory(500_MiB,
                                                                                                   1000_MiB))
      : node(builder.build()) {
    slo.evenkeel.memory_push_back.enable = true;
    node.at = MonoTime{} + seconds(100);
    node.node.memory = NodeMemory{.total = 16384_MiB, .available = 8192_MiB, .free = 1024_MiB};
    for (auto& cgroup : node.cgroups) {
      for (const Knob knob : {Knob::memory_min, Knob::memory_low}) cgroup.applied.plain.set(knob, 0);
      cgroup.applied.plain.set(Knob::memory_high, kPlainMax);
      cgroup.memory.current = 500_MiB;
      cgroup.pressure.memory = Pressure{.full = PressureLine{}};
    }
    besteffort().memory.current = 4000_MiB;
    besteffort().memory.anonymous = 1000_MiB;
  }
  CgroupSample& besteffort() { return node.cgroups[static_cast<std::size_t>(node.besteffort)]; }
  CgroupSample& service() { return node.cgroups[static_cast<std::size_t>(node.pods[0].cgroup)]; }
  CgroupSample& container() { return node.cgroups[static_cast<std::size_t>(node.containers[0].cgroup)]; }
  void stalled(double some, double full = 0) {
    service().pressure.memory->some.avg10_percent = some;
    service().pressure.memory->full->avg10_percent = full;
  }
  /// What is intended for after some time; -1: nothing. The kernel then holds it.
  std::int64_t mib(Duration later = {}) {
    node.at += later;
    out.clear();
    test::decide_one(memory::memory_push_back_policy, node, slo, state, out);
    const auto bytes = intended(out, besteffort().id, Knob::memory_high);
    if (bytes >= 0) besteffort().applied.plain.set(Knob::memory_high, (Bytes(bytes)).count());
    return bytes < 0 ? -1 : bytes >> 20;
  }
  [[nodiscard]] std::optional<Bytes> target() const { return state.of<memory::MemoryPushBackState>().target; }
  NodeSnapshot node;
  NodeSlo slo{};
  decide::PolicyState state{};
  decide::Intents out{};
};

TEST(MemoryPushBack, StopsTheGrowthAndComesDownInSteps) {
  Scene scene;
  EXPECT_EQ(scene.mib(), -1) << "no task waits";
  scene.stalled(12);
  EXPECT_EQ(scene.mib(), 4080) << "2 % above its use: no write reclaims";
  EXPECT_EQ(scene.target(), 3800_MiB);
  EXPECT_EQ(scene.mib(seconds(1)), 4080);
  EXPECT_EQ(scene.target(), 3800_MiB) << "a step every two seconds";
  scene.besteffort().memory.current = 3700_MiB;
  EXPECT_EQ(scene.mib(seconds(1)), 3774) << "it comes down as the use does";
  EXPECT_EQ(scene.target(), 3515_MiB);
}

TEST(MemoryPushBack, LeavesWhatIsProtectedAndWhatCouldOnlyBeSwapped) {
  Scene scene;
  scene.stalled(0, 6);
  for (int i = 0; i < 100; ++i) {
    scene.mib(seconds(2));
    scene.besteffort().memory.current = std::max(*scene.target(), 1000_MiB);
  }
  EXPECT_EQ(scene.target(), 1020_MiB);
  Scene protected_scene;
  protected_scene.besteffort().applied.plain.set(Knob::memory_low, (3900_MiB).count());
  protected_scene.stalled(50);
  for (int i = 0; i < 10; ++i) protected_scene.mib(seconds(2));
  EXPECT_EQ(protected_scene.target(), 3900_MiB);
}

TEST(MemoryPushBack, RisesWithWhatBestEffortCannotFree) {
  Scene scene;
  scene.stalled(12);
  scene.mib();
  EXPECT_EQ(scene.target(), 3800_MiB);
  scene.besteffort().memory.anonymous = 3900_MiB;
  scene.mib(seconds(1));
  EXPECT_EQ(scene.target(), 3978_MiB) << "2 % above its anonymous memory";
}

TEST(MemoryPushBack, GoesByServicesThatAreShortBecauseTheNodeIs) {
  const auto pushes = [](auto change) {
    Scene scene;
    scene.stalled(50, 50);
    change(scene);
    return scene.mib() >= 0;
  };
  EXPECT_TRUE(pushes([](Scene&) {}));
  EXPECT_FALSE(pushes([](Scene& s) { s.stalled(9, 4); }));
  EXPECT_FALSE(pushes([](Scene& s) { s.node.node.memory->free = 4096_MiB; })) << "no pod needs it";
  EXPECT_FALSE(pushes([](Scene& s) { s.container().memory.current = 960_MiB; })) << "at a limit of its own";
  EXPECT_FALSE(pushes([](Scene& s) {
    s.stalled(0);
    s.besteffort().pressure.memory->some.avg10_percent = 80;
    s.node.node.pressure.memory = s.besteffort().pressure.memory;
  })) << "who is pushed back stalls, and would be pushed for it";
  EXPECT_TRUE(pushes([](Scene& s) {
    s.stalled(0);
    s.node.node.memory->available = 700_MiB;
  })) << "nearly nothing is left";
}

TEST(MemoryPushBack, APodAtItsPodLevelLimitStallsForThatReason) {
  for (const int containers : {1, 2}) {
    auto pods = node().pod("a").ls().pod_level_limit(1000_MiB);
    for (int i = 0; i < containers; ++i) pods.container("c");
    Scene scene(pods);
    scene.stalled(30);
    EXPECT_GT(scene.mib(), 0) << "far from it";
    Scene full(pods);
    full.stalled(30);
    full.service().memory.current = 1000_MiB;
    EXPECT_EQ(full.mib(), -1) << containers;
  }
}

TEST(MemoryPushBack, AServiceThatMissesItsObjectiveForMemoryCountsAtOnce) {
  Scene scene;
  auto& objectives = scene.state.shared.of<decide::ServiceObjectives>();
  using Move = decide::ServiceObjectives::Move;
  objectives = {.in_force = true, .move = Move::hold, .stall = Stall::memory};
  EXPECT_EQ(scene.mib(), -1) << "its target is met";
  objectives.move = Move::shrink;
  EXPECT_EQ(scene.mib(), 4080);
  Scene roomy;
  roomy.state.shared.of<decide::ServiceObjectives>() = objectives;
  roomy.node.node.memory->free = 4096_MiB;
  EXPECT_EQ(roomy.mib(), -1) << "it waits for other reasons";
}

TEST(MemoryPushBack, AServiceOutsideOfPodsCountsToo) {
  Scene scene(node().host_app(QosClass::ls, HostAppBase::cgroup_root));
  EXPECT_EQ(scene.mib(), -1);
  scene.node.cgroups[static_cast<std::size_t>(scene.node.host_applications[0].cgroup)]
      .pressure.memory->some.avg10_percent = 20;
  EXPECT_GT(scene.mib(), 0);
}

TEST(MemoryPushBack, ComesBackSlowlyAndThenLetsGo) {
  Scene scene;
  scene.stalled(12);
  scene.mib();
  scene.besteffort().memory.current = 3800_MiB;
  scene.stalled(0);
  scene.mib(seconds(9));
  EXPECT_EQ(scene.target(), 3800_MiB);
  scene.mib(seconds(1));
  EXPECT_EQ(scene.target(), 3990_MiB) << "5 % more";
  scene.mib(seconds(4));
  EXPECT_EQ(scene.target(), 3990_MiB);
  for (int i = 0; i < 3; ++i) EXPECT_GT(scene.mib(seconds(5)), 0);
  EXPECT_EQ(scene.mib(seconds(5)), -1) << "a quarter more than it uses: nothing holds it back any more";
  EXPECT_FALSE(scene.target());
}

TEST(MemoryPushBack, HoldsWhatIsInForceWhileItKnowsNothing) {
  Scene scene;
  scene.besteffort().memory.anonymous.reset();
  scene.stalled(50);
  EXPECT_EQ(scene.mib(), -1);
  EXPECT_TRUE(scene.out.all().empty());
  scene.besteffort().memory.anonymous = 1000_MiB;
  EXPECT_GT(scene.mib(), 0);
  scene.besteffort().memory.current.reset();
  scene.mib();
  EXPECT_TRUE(held(scene.out, scene.besteffort().id, Knob::memory_high));
  scene.besteffort().memory.current = 4000_MiB;
  scene.node.node.memory.reset();
  scene.mib();
  EXPECT_TRUE(held(scene.out, scene.besteffort().id, Knob::memory_high));
  scene.besteffort().applied.plain.set(Knob::memory_high, std::nullopt);
  scene.mib();
  EXPECT_TRUE(scene.out.all().empty()) << "v1 has no such file";
}

TEST(MemoryPushBack, IsOffUnlessAskedFor) {
  EXPECT_FALSE(memory::memory_push_back_policy.enabled(NodeSlo{}));
  Scene scene;
  EXPECT_TRUE(memory::memory_push_back_policy.enabled(scene.slo));
  scene.stalled(50);
  scene.mib();
  memory::memory_push_back_policy.reset(scene.state.of<memory::MemoryPushBackState>(), scene.state.shared);
  EXPECT_FALSE(scene.target());
}

}  // namespace
}  // namespace evenkeel
