// Waits that are told by pressure files: what is known between two readings, and what a quota is for.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/scenes/waiting_scene.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;
using Scene = WaitingScene;

// Where the program is not there, pressure files tell, and those of containers are not read in each tick.
struct ByPressure : Scene {
  ByPressure() { node_.run_queue.source = RunQueueSource::none; }
  CgroupSample& web() {
    for (CgroupSample& each : node_.cgroups)
      if (each.id == container(0)) return each;
    std::abort();
  }
  /// Milliseconds a second that it waits, and that its own quota holds it up.
  void run_with(Duration length, std::int64_t waits_ms, std::int64_t throttled_ms) {
    using std::chrono::milliseconds;
    for (Duration passed{}; passed < length; passed += 1s) {
      total_ += milliseconds(waits_ms + throttled_ms);
      web().throttling = Throttling{.throttled_time = milliseconds(throttled_ms)};
      if (++ticks_ % 10 == 0) web().pressure.cpu = Pressure{.some = {.total = total_}, .at = node_.at + 1s};
      run(1s, {.listed = false});
    }
  }
  [[nodiscard]] std::optional<double> newest() const {
    const auto& series = state().victims[0].of(Signal::run_queue_wait).series();
    return series.at(series.newest());
  }

 private:
  Duration total_{};
  int ticks_ = 0;
};

TEST(InterferenceByPressure, WhatItsOwnQuotaHeldUpIsNotWaiting) {
  ByPressure scene;
  scene.run_with(5min, 20, 300);
  ASSERT_TRUE(scene.newest());
  EXPECT_NEAR(*scene.newest(), 0.02, 1e-6);
}

TEST(InterferenceByPressure, WhatWasNotReadIsNoZero) {
  ByPressure scene;
  scene.slo_.evenkeel.interference.stall_window = 1s;
  scene.run_with(5min, 20, 0);
  const auto& watch = scene.state().victims[0].of(Signal::run_queue_wait);
  EXPECT_NEAR(watch.model().usual() > 0 ? watch.model().usual() : *scene.newest(), 0.02, 1e-6);
}

TEST(InterferenceByPressure, AnotherWayToMeasureForgetsAllStalls) {
  ByPressure scene;
  scene.run_with(10min, 20, 0);
  ASSERT_TRUE(scene.newest());
  scene.node_.run_queue.source = RunQueueSource::bpf;
  scene.run_with(30s, 900, 0);
  scene.node_.run_queue.source = RunQueueSource::none;
  scene.run_with(1min, 20, 0);
  const auto& watch = scene.state().victims[0].of(Signal::run_queue_wait);
  ASSERT_TRUE(scene.newest());
  for (std::int64_t back = 0; back < std::int64_t{detector::kWindows}; ++back)
    EXPECT_NEAR(watch.series().at(watch.series().newest() - back).value_or(0.02), 0.02, 1e-6) << back;
  EXPECT_FALSE(watch.model().normal()) << "another way to measure, other numbers";
}

}  // namespace
}  // namespace evenkeel::test
