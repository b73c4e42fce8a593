// Tests a hard limit of open files (RLIMIT_NOFILE) far below what a tick needs: files are reopened for each
// read, the metrics say so, and levers and undo work as ever. Tests that a low soft limit is raised.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "agent/http/http_client.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_population.h"
#include "tests/support/metrics_page.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

/// With so many pods of three containers each, and this hard limit.
void survives(int count, unsigned limit) {
  LiveCgroups cgroups;
  if (!cgroups.why_not().empty()) GTEST_SKIP() << cgroups.why_not();
  const Population pods = populate(cgroups, count);
  const StateDir dir;
  std::ofstream(dir.path + "/nodeslo.yaml")
      << "cpuBurstStrategy: {policy: auto}\nresourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}\n"
         "extensions: {evenkeel: {brake: {enable: true}}}\n";
  const std::string burst = cgroups.burst_file(pods.services.back() + "/c0");
  ASSERT_EQ(text_of_file(burst), "0\n");
  auto args = stepped_args(cgroups, dir, kPodsByCgroup);
  args.insert(args.end(), {"--listen", "127.0.0.1:0", "--interval", "200ms"});
  LiveAgent agent(args, {.soft = limit, .hard = limit});
  ASSERT_TRUE(agent.logged("event=started", 20s)) << agent.log();
  EXPECT_TRUE(soon([&] { return text_of_file(burst) != "0\n"; }, 30s)) << agent.log();
  const std::string url = agent.url();
  const auto page = http::http_get(url + "/metrics").body;
  EXPECT_GT(metric(page, "evenkeel_descriptors_needed"), limit) << "nothing is shown";
  EXPECT_GT(metric(page, "evenkeel_descriptors_reopened"), 0);
  EXPECT_TRUE(agent.logged("event=few-descriptors", 5s)) << agent.log();
  EXPECT_EQ(http::http_get(url + "/healthz").status, 200);
  EXPECT_EQ(agent.log().find("EMFILE"), std::string::npos) << agent.log();
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(text_of_file(burst), "0\n");
}

TEST(LiveDescriptors, AHardLimitBelowTheNeedIsSurvivedAndSaid) { survives(40, 256); }

// A common hard limit where nobody has thought about it.
TEST(LiveDescriptors, OnAFullNodeAHardLimitOf1024IsSurvivedAndSaid) { survives(110, 1024); }

// As a shell or a container runtime starts it, with a low soft limit for programs that still use select(2).
TEST(LiveDescriptors, TheSoftLimitIsRaisedToTheHardOne) {
  LiveCgroups cgroups;
  if (!cgroups.why_not().empty()) GTEST_SKIP() << cgroups.why_not();
  const StateDir dir;
  std::ofstream(dir.path + "/nodeslo.yaml") << "{}\n";
  auto args = stepped_args(cgroups, dir, kPodsByCgroup);
  args.insert(args.end(), {"--listen", "none"});
  LiveAgent agent(args, {.soft = 64, .hard = 4096});
  ASSERT_TRUE(agent.logged("event=started", 20s)) << agent.log();
  const std::string limits = "/proc/" + std::to_string(agent.pid()) + "/limits";
  const auto words = [&] {  // "Max open files SOFT HARD files"
    const std::string text = text_of_file(limits);
    const auto at = text.find("Max open files");
    std::istringstream line(at == std::string::npos ? std::string() : text.substr(at + 14));
    std::string soft, hard;
    line >> soft >> hard;
    return soft + " " + hard;
  };
  EXPECT_TRUE(soon([&] { return words() == "4096 4096"; })) << words() << "\n" << agent.log();
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
}

}  // namespace
}  // namespace evenkeel::test
