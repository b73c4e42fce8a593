// kill -9 at random moments of the real program at work on real cgroups; then `evenkeel restore`; then every
// setting is as before.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "tests/support/agents/stepped_agent.h"
#include "tests/support/environment.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_population.h"
#include "tests/support/process.h"
#include "tests/support/scenes/nodeslo_texts.h"

namespace evenkeel::test {
namespace {

/// EVENKEEL_KILLS: for longer runs. An emulated guest is some twenty times slower.
int kills() {
  return from_environment("EVENKEEL_KILLS", std::getenv("EVENKEEL_IN_VM") != nullptr ? 10 : 150);
}

std::map<std::string, std::string> settings(const LiveCgroups& cgroups) {
  std::map<std::string, std::string> all;
  for (const auto controller : {Controller::cpu, Controller::cpuset}) {
    const std::string top = "/" + cgroups.layout().root(controller) + "/" + cgroups.top();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
      const std::string name = entry.path().filename();
      for (const char* setting : {"cpu.cfs_quota_us", "cpu.cfs_burst_us", "cpu.shares", "cpu.idle", "cpu.max",
                                  "cpu.max.burst", "cpu.weight", "cpuset.cpus"})
        if (name == setting) all[entry.path()] = text_of_file(entry.path());
    }
  }
  return all;
}

std::vector<std::string> arguments(const LiveCgroups& cgroups, const std::string& dir) {
  return {"--cgroup-root", cgroups.top(), "--nodeslo",   dir + "/nodeslo.yaml",
          "--pods",        "cgroup",      "--state-dir", dir,
          "--listen",      "none",        "--interval",  "10ms",
          "--log-level",   "error"};
}

/// How long this machine takes from the start of the agent to its first value in force.
int start_us(const LiveCgroups& cgroups, const std::string& dir, const std::string& container) {
  const auto from = std::chrono::steady_clock::now();
  const auto until = from + std::chrono::seconds(30);
  LiveAgent agent(arguments(cgroups, dir));
  const std::string burst = cgroups.burst_file(container);
  while (text_of_file(burst) == "0\n" && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  const auto took = std::chrono::steady_clock::now() - from;
  agent.stop();
  return static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
}

TEST(LiveCrash, LeavesNothingBehindAfterRestore) {
  LiveCgroups cgroups;
  if (!cgroups.why_not().empty()) GTEST_SKIP() << cgroups.why_not();
  const Population pods = populate(cgroups, 12);
  const std::string dir = "/tmp/evenkeel-crash-" + std::to_string(::getpid());
  std::filesystem::create_directories(dir);
  const auto before = settings(cgroups);
  ASSERT_GT(before.size(), 50U);
  std::mt19937 random(11);
  std::ofstream(dir + "/nodeslo.yaml") << kCpuFeatures << std::flush;
  const int usual_us = start_us(cgroups, dir, pods.services[0] + "/c0");
  std::uniform_int_distribution<int> moment_us(usual_us / 50, usual_us * 2);
  int wrote_something = 0;
  for (int kill = 0; kill < kills(); ++kill) {
    std::ofstream(dir + "/nodeslo.yaml") << kCpuFeatures << std::flush;
    LiveAgent agent(arguments(cgroups, dir));
    const std::string extra = pods.batches[0] + "-more";
    std::this_thread::sleep_for(std::chrono::microseconds(moment_us(random)));
    cgroups.make(extra);  // births keep the event path busy
    if (kill % 4 == 0)
      std::ofstream(dir + "/nodeslo.yaml") << "cpuBurstStrategy: {policy: none}\n" << std::flush;
    std::this_thread::sleep_for(std::chrono::microseconds(moment_us(random) / 2));
    ASSERT_TRUE(agent.alive()) << agent.log();
    agent.kill();
    cgroups.remove(extra);
    if (settings(cgroups) != before) ++wrote_something;
    const Ran restored = run_evenkeel({"restore", "--state-dir", dir});
    ASSERT_EQ(restored.exit_status, 0) << restored.err;
    ASSERT_EQ(settings(cgroups), before) << "after kill number " << kill << "\n" << restored.err;
  }
  std::filesystem::remove_all(dir);
  std::printf("%d kills of a live run; %d of them with values in force; all restored\n", kills(),
              wrote_something);
  EXPECT_GT(wrote_something, kills() / 5) << "the kills came too early to prove anything";
}

}  // namespace
}  // namespace evenkeel::test
