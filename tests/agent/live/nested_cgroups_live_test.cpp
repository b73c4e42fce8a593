// The running program, with all features, beside containers that make thousands of cgroups for themselves and
// write to their own files without end: its ticks stay in time.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "tests/support/health_watch.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_population.h"
#include "tests/support/process.h"
#include "tests/support/restless_writers.h"
#include "tests/support/rounds.h"
#include "tests/support/scenes/loop_settings.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr int kWide = 60;            ///< directories in a container, and in each of these
constexpr int kDeep = 60;            ///< directories inside one another
constexpr auto kWatched = 12s;       ///< ticks of one second
constexpr long kMostMissed = 2;      ///< ticks of a machine that does other work as well
constexpr auto kSlowestHealth = 2s;  ///< on such a machine

/// Inside of a container, where nobody passes controllers on.
void make(const std::string& dir) { ASSERT_EQ(::mkdir(dir.c_str(), 0755), 0) << dir; }

void make_wide(const std::string& container) {
  for (int i = 0; i < kWide; ++i) {
    const std::string dir = container + "/w" + std::to_string(i);
    make(dir);
    for (int k = 0; k < kWide; ++k) make(dir + "/w" + std::to_string(k));
  }
}

void make_deep(std::string container) {
  for (int i = 0; i < kDeep; ++i) make(container += "/d");
}

TEST(LiveNestedCgroups, ThousandsInAContainerThatWritesWithoutEndDoNotKeepItBusy) {
#ifdef EVENKEEL_WATCHED
  GTEST_SKIP() << "sanitizers need time of their own";
#endif
  LiveCgroups cgroups;
  if (!cgroups.why_not().empty()) GTEST_SKIP() << cgroups.why_not();
  const Population pods = populate(cgroups, 6);
  give_cpus(cgroups);
  for (const auto& pod : pods.batches) {
    make_wide(cgroups.file(Controller::cpu, pod + "/c0", "."));
    make_deep(cgroups.file(Controller::cpu, pod + "/c1", "."));
  }
  const StateDir dir;
  std::ofstream(dir.path + "/pods.yaml") << pod_list_of(pods);
  std::ofstream(dir.path + "/nodeslo.yaml") << nodeslo_of(settings_for_this_machine());
  auto args = stepped_args(cgroups, dir);
  args.insert(args.end(), {"--listen", "127.0.0.1:0"});
  LiveAgent agent(args);
  const std::string url = agent.url();
  ASSERT_NE(url, "") << agent.log();
  ASSERT_TRUE(soon([&] { return metric_at(url, "evenkeel_ticks_total") >= 2; })) << agent.log();

  const RestlessWriters restless(
      {cgroups.burst_file(pods.batches[0] + "/c0"), cgroups.burst_file(pods.batches[0] + "/c1")});
  const auto cpu = agent.cpu_time();
  const Watched seen = watch_health(url, kWatched);
  const auto used = agent.cpu_time() - cpu;
  std::printf(
      "%zu containers with %d cgroups in each, %ld writes: %ld ticks, %ld missed, %.0f %% of a CPU, /healthz "
      "at most %.0f ms\n",
      pods.batches.size(), kWide * (kWide + 1), restless.writes(), seen.ticks, seen.missed,
      100.0 * static_cast<double>(used.count()) /
          static_cast<double>(std::chrono::milliseconds(kWatched).count()),
      seen.slowest_ms());
  EXPECT_GT(restless.writes(), 1000) << "nothing is shown";
  EXPECT_EQ(seen.failed, 0);
  EXPECT_LT(seen.slowest, kSlowestHealth);
  EXPECT_LE(seen.missed, kMostMissed);
  EXPECT_GE(seen.ticks, kWatched.count() - 2 * kMostMissed);
  EXPECT_LT(used, kWatched / 2) << "a container keeps the agent busy";
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
}

}  // namespace
}  // namespace evenkeel::test
