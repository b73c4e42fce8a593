// How many seconds of stall others made, and whose account they are on.
#include <gtest/gtest.h>

#include "qos/interference/roster.h"
#include "tests/support/scenes/counted_scene.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using Scene = CountedScene;

constexpr std::size_t kMemory = detector::stall_index(Signal::reclaim_stall);
constexpr std::size_t kIo = detector::stall_index(Signal::block_io_stall);

struct Reclaiming : Scene {
  /// Milliseconds per second that the service and the hog reclaim.
  void run_with(Duration length, std::int64_t service_ms, std::int64_t hog_ms) {
    using std::chrono::milliseconds;
    node.stalls.clear();
    for (const auto& [pod, ms] : {std::pair{kShop, service_ms}, std::pair{kHog, hog_ms}})
      node.stalls.push_back(
          {.cgroup = container(pod), .reclaim = milliseconds(ms), .block_io = milliseconds(0)});
    run(length, [](const Scene&) { return 1.0; });
  }
  [[nodiscard]] double stalled(std::size_t stall) const {
    return state.of<interference::InterferenceState>().victims.front().stalled_by_others_seconds[stall];
  }
  [[nodiscard]] double charged(std::size_t pod) const {
    for (const interference::Unit& unit : state.of<interference::InterferenceState>().units)
      if (unit.cgroup == id(pod)) return unit.charged_seconds[kMemory];
    return -1;
  }
};

TEST(InterferenceBudget, OnlyWhatIsAboveUsualDuringAnAccusationCounts) {
  Reclaiming scene;
  scene.slo.evenkeel.interference.act = false;
  scene.run_with(30min, 2, 1);
  EXPECT_EQ(scene.stalled(kMemory), 0);
  // In turns, until it is found out that they go together.
  for (int turn = 0; turn < 12 && scene.state.of<interference::InterferenceState>().accusations.empty();
       ++turn) {
    scene.run_with(60s, 2, 1);
    scene.run_with(60s, 300, 400);
  }
  ASSERT_EQ(scene.state.of<interference::InterferenceState>().accusations.size(), 1U);
  EXPECT_EQ(scene.state.of<interference::InterferenceState>().accusations.front().suspect,
            scene.id(Scene::kHog));
  const double before = scene.stalled(kMemory);
  scene.run_with(60s, 300, 400);
  EXPECT_NEAR(scene.stalled(kMemory) - before, 0.298 * 60, 0.5);
  EXPECT_EQ(scene.charged(Scene::kHog), scene.stalled(kMemory));
  EXPECT_EQ(scene.charged(Scene::kOther), 0);
  const auto lately =
      interference::stalled_lately(scene.state.of<interference::InterferenceState>(), scene.node.at);
  ASSERT_EQ(lately.size(), 1U);
  EXPECT_NEAR(lately.begin()->second[kMemory], scene.stalled(kMemory), 0.01);
  EXPECT_EQ(scene.stalled(kIo), 0);
  const double during = scene.stalled(kMemory);
  scene.run_with(60s, 2, 1);
  EXPECT_NEAR(scene.stalled(kMemory), during, 4) << "one window may have been a mixed one";

  auto state = scene.state.of<interference::InterferenceState>();
  state.victims.clear();
  EXPECT_TRUE(interference::stalled_lately(state, scene.node.at).empty())
      << "no pod follows one without an owner";
  for (auto& workload : state.workloads) workload.ends_with_its_pod = false;
  EXPECT_EQ(interference::stalled_lately(state, scene.node.at).size(), 1U)
      << "of a Deployment, another one may";
}

TEST(StallDay, HoursGoWhenADayIsOver) {
  detector::StallDay day;
  const MonoTime start{100h + 30min};
  day.add(0, 5, start);
  day.add(1, 2, start + 1h);
  EXPECT_EQ(day.sum(start + 22h), (detector::StallSeconds{5, 2, 0}));
  EXPECT_EQ(day.sum(start + 24h), (detector::StallSeconds{0, 2, 0}));
  day.add(0, 1, start + 23h);
  EXPECT_EQ(day.sum(start + 23h), (detector::StallSeconds{6, 2, 0}));
  day.add(0, 7, start + 50h);
  EXPECT_EQ(day.sum(start + 50h), (detector::StallSeconds{7, 0, 0})) << "two days in which nothing was added";
  day.add(0, 9, start + 20h);
  EXPECT_EQ(day.sum(start + 50h), (detector::StallSeconds{7, 0, 0})) << "it is over";
}

}  // namespace
}  // namespace evenkeel::test
