// kill -9 at random moments of the real program at work on real cgroups; then `evenkeel restore`; then every
// setting is as before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "qos/model/knob.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/environment.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_population.h"
#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

/// EVENKEEL_KILLS: for longer runs. An emulated guest is some twenty times slower.
int kills() {
  return from_environment("EVENKEEL_KILLS", std::getenv("EVENKEEL_IN_VM") != nullptr ? 10 : 150);
}

/// Suppression, burst, cpu.idle, CPU sets (a service has a CPU of its own), protection and limits of memory.
constexpr const char* kFeatures =
    "resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 65, cpuSuppressPolicy: "
    "cfsQuota}\n"
    "cpuBurstStrategy: {policy: auto, cpuBurstPercent: 100}\n"
    "resourceQOSStrategy:\n"
    "  lsClass: {memoryQOS: {enable: true, minLimitPercent: 50, lowLimitPercent: 80}}\n"
    "  beClass: {cpuQOS: {enable: true}, memoryQOS: {enable: true, throttlingPercent: 80}}\n";

/// The files of all levers.
std::set<std::string> names_of_settings() {
  std::set<std::string> names;
  for (const auto& lever : knob_table())
    for (const std::string_view file : {lever.v1_file, lever.v2_file})
      if (!file.empty()) names.emplace(file.substr(0, file.find(':')));
  return names;
}

using Settings = std::map<std::string, std::string>;
Settings settings(const LiveCgroups& cgroups) {
  const auto names = names_of_settings();
  Settings all;
  for (const auto controller : {Controller::cpu, Controller::cpuset, Controller::memory, Controller::blkio}) {
    const std::string root = cgroups.layout().root(controller);
    if (root.empty()) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator("/" + root + "/" + cgroups.top()))
      if (names.contains(entry.path().filename())) all[entry.path()] = text_of_file(entry.path());
  }
  return all;
}
void note_changed(const Settings& now, const Settings& before, std::set<std::string>& names) {
  for (const auto& [path, text] : now)
    if (const auto old = before.find(path); old != before.end() && old->second != text)
      names.insert(std::filesystem::path(path).filename());
}

std::vector<std::string> arguments(const LiveCgroups& cgroups, const std::string& dir) {
  return {"--cgroup-root", cgroups.top(),
          "--nodeslo",     dir + "/nodeslo.yaml",
          "--pods",        "file:" + dir + "/pods.yaml",
          "--state-dir",   dir,
          "--listen",      "none",
          "--interval",    "10ms",
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
  const Population pods = populate(cgroups, 6);
  give_cpus(cgroups);
  const std::string dir = "/tmp/evenkeel-crash-" + std::to_string(::getpid());
  std::filesystem::create_directories(dir);
  const auto before = settings(cgroups);
  ASSERT_GT(before.size(), 50U);
  std::mt19937 random(11);
  std::ofstream(dir + "/pods.yaml") << pod_list_of(pods) << std::flush;
  std::ofstream(dir + "/nodeslo.yaml") << kFeatures << std::flush;
  // The first service has no quota, so no burst.
  int usual_us = start_us(cgroups, dir, pods.services[1] + "/c0");
  const int most_us = 8 * usual_us;
  int wrote_something = 0;
  std::set<std::string> changed;
  for (int kill = 0; kill < kills(); ++kill) {
    std::ofstream(dir + "/nodeslo.yaml") << kFeatures << std::flush;
    LiveAgent agent(arguments(cgroups, dir));
    const std::string extra = pods.batches[0] + "-more";
    std::uniform_int_distribution<int> moment_us(usual_us / 50, usual_us * 2);
    std::this_thread::sleep_for(std::chrono::microseconds(moment_us(random)));
    cgroups.make(extra);  // births keep the event path busy
    if (kill % 4 == 0)
      std::ofstream(dir + "/nodeslo.yaml") << "cpuBurstStrategy: {policy: none}\n" << std::flush;
    std::this_thread::sleep_for(std::chrono::microseconds(moment_us(random) / 2));
    ASSERT_TRUE(agent.alive()) << agent.log();
    agent.kill();
    cgroups.remove(extra);
    const auto left = settings(cgroups);
    // Other load changes how long a start takes: two of three kills find values in force.
    usual_us = left == before ? std::min(usual_us + usual_us / 8, most_us) : usual_us - usual_us / 16;
    if (left != before) ++wrote_something;
    note_changed(left, before, changed);
    const Ran restored = run_evenkeel({"restore", "--state-dir", dir});
    ASSERT_EQ(restored.exit_status, 0) << restored.err;
    ASSERT_EQ(settings(cgroups), before) << "after kill number " << kill << "\n" << restored.err;
  }
  std::filesystem::remove_all(dir);
  std::printf("%d kills of a live run; %d of them with values in force, all restored:", kills(),
              wrote_something);
  for (const auto& name : changed) std::printf(" %s", name.c_str());
  std::printf("\n");
  EXPECT_GT(wrote_something, kills() / 5) << "the kills came too early to prove anything";
}

}  // namespace
}  // namespace evenkeel::test
