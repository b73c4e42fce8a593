// kill -9 at random moments of a busy agent on a fake host; then `evenkeel restore`; then every control file
// is as before.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <thread>

#include "tests/support/fake_node.h"
#include "tests/support/stepped_agent.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;

constexpr int kKills = 250;  // per kernel version

constexpr const char* kEverything =
    "resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 65, cpuSuppressPolicy: "
    "cfsQuota}\n"
    "cpuBurstStrategy: {policy: auto, cpuBurstPercent: 100}\n"
    "resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}\n";

/// Counters are the kernel's, not ours: they differ after every second that passed.
bool is_counter(const std::string& name) {
  return name == "cpuacct.usage" || name == "cpu.stat" || name == "stat";
}

std::map<std::string, std::string> settings_below(const std::string& root) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/sys/fs/cgroup")) {
    if (!entry.is_regular_file() || is_counter(entry.path().filename())) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    all[entry.path()] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  return all;
}

std::string difference(const std::map<std::string, std::string>& before,
                       const std::map<std::string, std::string>& after) {
  std::string out;
  for (const auto& [path, text] : before) {
    const auto now = after.find(path);
    const std::string has = now == after.end() ? "<gone>" : now->second;
    if (has != text) out += path + ": was '" + text + "', is '" + has + "'\n";
  }
  return out;
}

class SteppedCrash : public testing::TestWithParam<FakeNode::Kernel> {};

TEST_P(SteppedCrash, LeavesNothingBehindAfterRestore) {
  FakeNode node(8, GetParam());
  std::vector<std::string> services, batches;
  for (int i = 0; i < 4; ++i) {
    const std::string uid = "0000000" + std::to_string(i) + "-0000-0000-0000-00000000000";
    services.push_back(node.host.pod(KubeQos::burstable, uid + "a", {"s" + std::to_string(i)}));
    batches.push_back(node.host.pod(KubeQos::besteffort, uid + "b", {"b" + std::to_string(i)}));
    const bool v1 = GetParam() == FakeNode::Kernel::v1;
    for (const auto& dir : {services.back(), services.back() + "/s" + std::to_string(i)})
      node.host.write(Controller::cpu, dir, v1 ? "cpu.cfs_quota_us" : "cpu.max",
                      v1 ? "100000\n" : "100000 100000\n");
  }
  const auto before = settings_below(node.host.root());
  const std::string slo = node.text_file("nodeslo.yaml", kEverything);
  std::mt19937 random(42);
  std::uniform_int_distribution<int> use(0, 1500);
  const std::vector<std::string> args{"--host-root", node.host.root(), "--nodeslo",   slo,
                                      "--pods",      "cgroup",         "--state-dir", node.state_dir()};
  const auto busy_second = [&](SteppedAgent& agent) {
    for (std::size_t i = 0; i < services.size(); ++i) {
      const std::string container = services[i] + "/s" + std::to_string(i);
      node.uses(container, MilliCpu(use(random)));
      node.throttled(container, use(random) > 700);
    }
    node.run(std::chrono::seconds(1));
    agent.try_advance("1s");
  };
  // A build with sanitizers is several times slower: the kills keep its pace.
  const auto from = std::chrono::steady_clock::now();
  {
    SteppedAgent agent(args);
    for (int second = 0; second < 5; ++second) busy_second(agent);
    agent.quit();
  }
  const auto usual =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - from);
  std::uniform_int_distribution<int> moment_us(0, static_cast<int>(2 * usual.count()));
  int wrote_something = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    {
      SteppedAgent agent(args);
      agent.kill_after(std::chrono::microseconds(moment_us(random)));
      for (int second = 0; second < 40 && agent.alive(); ++second) busy_second(agent);
      agent.kill();
    }
    if (settings_below(node.host.root()) != before) ++wrote_something;
    const Ran restored =
        run_evenkeel({"restore", "--host-root", node.host.root(), "--state-dir", node.state_dir()});
    ASSERT_EQ(restored.exit_status, 0) << restored.err;
    ASSERT_EQ(difference(before, settings_below(node.host.root())), "")
        << "after kill number " << kill << "\n"
        << restored.err;
  }
  std::printf("%d kills on a fake %s node; %d of them with values in force; all restored\n", kKills,
              GetParam() == FakeNode::Kernel::v1 ? "v1" : "v2", wrote_something);
  EXPECT_GT(wrote_something, kKills / 5) << "the kills came too early to prove anything";
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedCrash, testing::Values(FakeNode::Kernel::v1, FakeNode::Kernel::v2),
                         [](const auto& kernel) {
                           return kernel.param == FakeNode::Kernel::v1 ? "v1" : "v2";
                         });

}  // namespace
}  // namespace evenkeel::test
